/** The names that rotation gives to logs, and the order in which they were written. */
import { globSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { stdinName } from './source.ts';
import { statOf } from './stat.ts';

export interface Rotation {
  /** The name before rotation: `access.log` for `access.log.2.gz`, `access.log-20261129.gz` and `access-2026-11-29.log`. */
  readonly base: string;
  /** Compares with other rotations of the base: an earlier one was written before. */
  readonly age: string;
}

const { raw } = String;
const day = raw`\d{4}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])`;
const time = raw`(?:[-_T.]?[\d:_-]{1,10}(?:\.\d{1,3})?)?`;
const packed = raw`(?:\.gz)?`;

/** logrotate with `dateext`, with and without `extension`; the roller of Caddy; rotatelogs of Apache with a date. */
const dated = new RegExp(raw`^(.+?)[-._](${day}${time})(\.[A-Za-z]{1,8})?${packed}$`);
/** logrotate: 1 is the newest. rotatelogs: seconds since the epoch. */
const numbered = new RegExp(raw`^(.+)\.(\d{1,10})${packed}$`);

const newest = '9'; // after all dates and seconds
const secondsDigits = 10;

export function rotationOf(name: string): Rotation {
  const [, start, date, extension = ''] = dated.exec(name) ?? [];
  if (start !== undefined && date !== undefined)
    return {
      base: `${start}${extension === '.gz' ? '' : extension}`,
      age: `0 ${date.replace(/\D/g, '').padEnd(17, '0')}`,
    };
  const [, base, number = ''] = numbered.exec(name) ?? [];
  if (base === undefined) return { base: name.replace(/\.gz$/, ''), age: newest };
  if (number.length === secondsDigits) return { base, age: `1 ${number}` };
  return { base, age: `2 ${String(10 ** 9 - Number(number)).padStart(secondsDigits, '0')}` };
}

/** Puts the files of each log in the order of their lines, oldest first. Logs stay in the order of their first file. */
export function inWrittenOrder(paths: readonly string[]): readonly string[] {
  const logs = Map.groupBy(paths, (path) => join(dirname(path), rotationOf(basename(path)).base));
  const ageOf = (path: string): string => rotationOf(basename(path)).age;
  return [...logs.values()].flatMap((files) => files.sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1)));
}

/** Whether the name before rotation is that of a log with requests. */
const isRequestLog = (path: string): boolean =>
  /(?:^|[._-])log$/.test(rotationOf(basename(path)).base) && !/error/i.test(basename(path));

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []));

/**
 * Replaces folders by those of their files that `isLog` selects, and patterns that the shell did not expand by their files.
 * @throws UsageError for a folder or a pattern without one
 */
export function namedLogs(
  paths: readonly string[],
  { cwd }: Context,
  isLog: (path: string) => boolean = isRequestLog,
): readonly string[] {
  const found = paths.flatMap((path) => {
    const stat = path === stdinName ? undefined : statOf(resolve(cwd, path));
    const isFolder = stat?.isDirectory() === true;
    if (!isFolder && (stat !== undefined || !path.includes('*'))) return [path];
    const logs = isFolder ? filesIn(resolve(cwd, path)).filter(isLog) : globSync(path, { cwd });
    if (logs.length > 0) return logs.toSorted();
    throw new UsageError(`${path}: there is no log`, { code: 'missing_file', hint: 'name the files' });
  });
  return inWrittenOrder(found);
}
