/** Finds the logs of the sources of a configuration. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, resolve } from 'node:path';
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { UsageError } from '../../../platform/errors.ts';
import { inWrittenOrder, rotationOf } from '../../input/rotated.ts';
import { stdinName } from '../../input/source.ts';
import type { Context } from '../../program/context.ts';

export interface SourceFile {
  /** Index of the source in `intake`. */
  readonly source: number;
  readonly path: string;
}

/** Yesterday's lines can be in the last rotated file. */
function existing(file: string): readonly string[] {
  const folder = dirname(file);
  const names = (() => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  })();
  const isOf = (name: string): boolean => [name, rotationOf(name).base].some((one) => matchesGlob(one, basename(file)));
  const logs = Map.groupBy(inWrittenOrder(names.filter(isOf)), (name) => rotationOf(name).base);
  return [...logs.values()].flatMap((files) => files.slice(-2)).map((name) => join(folder, name));
}

const fileSources = ({ intake }: Daemon) =>
  intake.flatMap(({ file }, source) => (file === undefined ? [] : [{ file, source }]));

/** The files that exist of the sources, each with its last rotated one. */
export const filesOfSources = (config: Daemon): readonly SourceFile[] =>
  fileSources(config).flatMap(({ file, source }) => existing(file).map((path) => ({ source, path })));

/** Returns the sources of a log by its name: those of its path, then those whose file it was before rotation. */
export function sourcesOf(path: string, config: Daemon, { cwd }: Context): readonly number[] {
  const all = fileSources(config);
  const same = all.filter(({ file }) => matchesGlob(resolve(cwd, path), file));
  const { base } = rotationOf(basename(path));
  const like = all.filter(({ file }) => [base, basename(path)].some((one) => matchesGlob(one, `${basename(file)}*`)));
  return [same, like].find((list) => list.length > 0)?.map(({ source }) => source) ?? [];
}

/** @throws UsageError for a log that belongs to no source */
export const namedFiles = (paths: readonly string[], config: Daemon, context: Context): readonly SourceFile[] =>
  paths.flatMap((path) => {
    const all = fileSources(config).map(({ source }) => source);
    const named = path === stdinName ? [] : sourcesOf(path, config, context);
    const sources = named.length === 0 && all.length === 1 ? all : named;
    if (sources.length === 0)
      throw new UsageError(`${path} belongs to no source of intake`, {
        code: 'no_source',
        hint: 'name the file of a source, or a rotated one such as access.log.1',
      });
    return sources.map((source) => ({ source, path }));
  });
