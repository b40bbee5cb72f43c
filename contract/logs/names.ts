/** Names of log formats, for programs that read a configuration and no log: the rows of the formats have 100 KB. */
import rows from '../generated/log-formats.json' with { type: 'json' };
import type { LogFormat } from './format.ts';

const formats: readonly Pick<LogFormat, 'name' | 'onlyFile'>[] = rows;

/** Names of the formats of servers; `guard` and `access` are read by their own readers. */
export const logFormatNames: readonly string[] = formats.map(({ name }) => name);

/** Names of sources that are not the log of a server. */
export const ownFormats = ['guard', 'access'] as const;

/** Whether the lines of a format may be read from a file only. */
export const needsFile = (format: unknown): boolean =>
  formats.some(({ name, onlyFile }) => name === format && onlyFile === true);
