import type { Command as Parser } from 'commander';
import { parseDuration } from '../../../contract/values/duration.ts';
import { UsageError } from '../../../platform/errors.ts';
import { portFrom } from '../../input/port.ts';
import type { Context } from '../../program/context.ts';
import { folderOf, lokiUrlOf, readSettings, type Settings } from '../settings.ts';

export interface LokiOptions {
  readonly lokiPort?: string;
  readonly dir?: string;
}

export const withLokiOptions = (parser: Parser): Parser =>
  parser
    .option('--loki-port <port>', 'port of Loki (default: that of the stack, 3100)')
    .option('--dir <folder>', 'folder of the stack (default: ~/.guard/observability)');

/** Returns the settings with the port of --loki-port. Omits the secret when that is not the port of the stack. */
export function settingsOf({ lokiPort, dir }: LokiOptions, context: Context): Settings {
  const settings = readSettings(folderOf(dir, context), context.env);
  const loki = lokiPort === undefined ? settings.ports.loki : portFrom('--loki-port', lokiPort);
  if (loki === settings.ports.loki) return settings;
  return { ...settings, ports: { ...settings.ports, loki }, secret: '' };
}

export const lokiUrl = (options: LokiOptions, context: Context): string => lokiUrlOf(settingsOf(options, context));

/** Longest range of a query. By default, Loki accepts ranges of up to 721 hours. */
const longestMs = 30 * 86_400_000;

/** Returns milliseconds. @throws UsageError */
export function sinceMs(since: string): number {
  const length = parseDuration(since);
  if (length !== undefined && length >= 1000 && length <= longestMs) return length;
  throw new UsageError(`--since is ${JSON.stringify(since)}`, {
    code: 'bad_since',
    hint: 'give a length of time from 1s to 30d, such as 24h, 90m or 7d',
  });
}

const rangeUnits = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
] as const;

/** Returns text such as `6h`. */
export function rangeText(ms: number): string {
  const [length, letter] = rangeUnits.find(([one]) => ms >= one && ms % one === 0) ?? [1, 'ms'];
  return `${ms / length}${letter}`;
}
