/** Options of the commands that query Loki. */
import type { Command as Parser } from 'commander';
import { parseDuration } from '../../../contract/values/duration.ts';
import { UsageError } from '../../../platform/errors.ts';
import { portFrom } from '../../input/port.ts';
import type { Context } from '../../program/context.ts';
import { folderOf, readSettings, urlOf } from '../stack/settings.ts';

export interface LokiOptions {
  readonly lokiPort?: string;
  readonly dir?: string;
}

export const withLokiOptions = (parser: Parser): Parser =>
  parser
    .option('--loki-port <port>', 'port of Loki (default: that of the stack, 3100)')
    .option('--dir <folder>', 'folder of the stack (default: ~/.guard/observability)');

/** The settings of the stack, with the port that the command line gives. */
export function settingsOf(options: LokiOptions, context: Context) {
  const { lokiPort } = options;
  const wanted = lokiPort === undefined ? {} : { loki: portFrom('--loki-port', lokiPort) };
  return readSettings(folderOf(options.dir, context), context.env, wanted);
}

export const lokiAddress = (options: LokiOptions, context: Context): string =>
  urlOf(settingsOf(options, context), 'loki');

/** The longest range that Loki accepts, unless its configuration says otherwise. */
const longestMs = 30 * 86_400_000;

/** The length that --since gives, in milliseconds. */
export function sinceMs(since: string): number {
  const length = parseDuration(since);
  if (length !== undefined && length >= 1000 && length <= longestMs) return length;
  throw new UsageError(`--since is ${JSON.stringify(since)}`, {
    code: 'bad_since',
    hint: 'give a length of time from 1s to 30d, such as 24h, 90m or 7d',
  });
}
