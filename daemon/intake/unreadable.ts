/** Finds sources that cannot be read, before they are followed. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPattern } from '../../contract/daemon/intake.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { checkRegularSync, readReason } from '../../platform/regular-file.ts';
import { readFormats } from './formats.ts';
import { readingOf, type Source } from './reading.ts';

/**
 * Returns what is missing, or undefined. A gateway creates its event file with the first event, so only the folder must
 * exist; a server creates its log when it starts.
 */
export function absentProblem({ format }: Source, path: string): string | undefined {
  if (!existsSync(dirname(path))) return `intake: ${path}: the folder does not exist`;
  return format === 'guard' || isPattern(path) || existsSync(path)
    ? undefined
    : `intake: ${path}: the file does not exist`;
}

/** Returns why the file of a source cannot be read now. */
function fileProblems(source: Source): string[] {
  const { file } = source;
  if (file === undefined) return [];
  const absent = absentProblem(source, file);
  if (absent !== undefined) return [absent];
  return existsSync(file) ? problemOf(`intake: ${file}`, () => checkRegularSync(file)) : [];
}

const problemOf = (prefix: string, work: () => unknown): string[] => {
  try {
    work();
    return [];
  } catch (error) {
    return [`${prefix}: ${readReason(error)}`];
  }
};

/** Returns the problems of sources with their files, formats and policies on this machine. */
export function sourceProblems(config: Daemon): readonly string[] {
  const refused = problemOf('formats', () => readFormats(config));
  const formats = readFormats(refused.length > 0 ? { formats: [] } : config);
  return [
    ...refused,
    ...config.intake.flatMap((source) => [
      ...fileProblems(source),
      ...problemOf('intake', () => readingOf(source, formats)),
    ]),
  ];
}
