/** The log formats that sources may name: those of the project and those of the user's files. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { loadLogFormats } from '../../contract/load/formats.ts';
import { required } from '../../contract/load/problem.ts';
import { type LogFormat, logFormatBounds } from '../../contract/logs/format.ts';
import { tableOf } from '../../contract/logs/formats.ts';
import { readReason, readRegularSync } from '../../platform/regular-file.ts';

export type FormatTable = ReadonlyMap<string, LogFormat>;

/** Reads a file that the configuration names. @throws Error that begins with its name */
export function readNamed(name: string, mostBytes: number): Buffer {
  try {
    return readRegularSync(name, mostBytes);
  } catch (error) {
    throw new Error(`${name}: ${readReason(error)}`, { cause: error });
  }
}

/** @throws Error that describes a file that cannot be read, a refused row with its place, or a name that is used twice */
export function readFormats({ formats }: Pick<Daemon, 'formats'>): FormatTable {
  return tableOf(
    formats.map((name) => {
      const bytes = readNamed(name, logFormatBounds.fileBytes);
      return { name, formats: required(loadLogFormats(bytes, name)).formats };
    }),
  );
}
