/** Finds the logs of the sources of a configuration. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, resolve } from 'node:path';
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { UsageError } from '../../../platform/errors.ts';
import { stdinName } from '../../input/source.ts';
import type { Context } from '../../program/context.ts';

export interface SourceFile {
  /** Index of the source in `intake`. */
  readonly source: number;
  readonly path: string;
}

/** Yesterday's lines can be in the last rotated file. */
const rotated = (file: string): readonly string[] => [file, `${file}.1`];

function existing(file: string): readonly string[] {
  const names = (() => {
    try {
      return readdirSync(dirname(file));
    } catch {
      return [];
    }
  })();
  return names
    .filter((name) => rotated(basename(file)).some((form) => matchesGlob(name, form)))
    .map((name) => join(dirname(file), name));
}

const fileSources = ({ intake }: Daemon) =>
  intake.flatMap(({ file }, source) => (file === undefined ? [] : [{ file, source }]));

/** The files that exist of the sources, each with its last rotated one. */
export const filesOfSources = (config: Daemon): readonly SourceFile[] =>
  fileSources(config).flatMap(({ file, source }) => existing(file).map((path) => ({ source, path })));

/** Returns the sources of a named log: those of its path, then those whose file it was before rotation. */
function sourcesOf(path: string, config: Daemon, { cwd }: Context): readonly number[] {
  const all = fileSources(config);
  const same = all.filter(({ file }) => matchesGlob(resolve(cwd, path), file));
  const like = all.filter(({ file }) => matchesGlob(basename(path), `${basename(file)}*`));
  const [only] = all.length === 1 ? all : [];
  return [same, like].find((list) => list.length > 0)?.map(({ source }) => source) ?? (only ? [only.source] : []);
}

/** @throws UsageError for a log that belongs to no source */
export const namedFiles = (paths: readonly string[], config: Daemon, context: Context): readonly SourceFile[] =>
  paths.flatMap((path) => {
    const sources = path === stdinName && fileSources(config).length !== 1 ? [] : sourcesOf(path, config, context);
    if (sources.length === 0)
      throw new UsageError(`${path} belongs to no source of intake`, {
        code: 'no_source',
        hint: 'name the file of a source, or a rotated one such as access.log.1',
      });
    return sources.map((source) => ({ source, path }));
  });
