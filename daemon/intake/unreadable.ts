/** Finds sources that cannot be read, before they are followed. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isPattern } from '../../contract/daemon/intake.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parserOf, peerReader } from '../../logs/access/reader.ts';
import { readReason, readTailSync } from '../../platform/regular-file.ts';
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

/** Returns why no line at the end of an access log could ban a client, as in a log of another program. */
function accessProblem({ address }: Source, lines: readonly string[]): string | undefined {
  const parser = parserOf({ member: address });
  const requests = lines.flatMap((line) => {
    const parsed = parser.parse(line);
    return typeof parsed === 'object' ? [{ ...parsed, line }] : [];
  });
  if (requests.length === 0) return 'no line at its end is a request in a known format';
  const isOther = parser.format === 'json';
  const peerOf = peerReader({ member: address }, parser);
  if (requests.some(({ line, ...request }) => peerOf(request, line) !== undefined)) return undefined;
  return `no line at its end has the address of the peer${isOther ? ': name its member in `address`' : ''}`;
}

/** @throws Error that says why a file cannot be read, or that no line of it could count */
function checkFile(source: Source, file: string): void {
  const tail = readTailSync(file, daemonBounds.intakeReadBytes).toString('latin1');
  const lines = tail.split('\n').slice(0, -1);
  const problem = source.format === 'access' && lines.length > 0 ? accessProblem(source, lines) : undefined;
  if (problem !== undefined) throw new Error(problem);
}

/** Returns why the file of a source cannot be read now. */
function fileProblems(source: Source): string[] {
  const { file } = source;
  if (file === undefined) return [];
  const absent = absentProblem(source, file);
  if (absent !== undefined) return [absent];
  return existsSync(file) ? problemOf(`intake: ${file}`, () => checkFile(source, file)) : [];
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
