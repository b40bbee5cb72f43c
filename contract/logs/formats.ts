/** The table of log formats that the project knows. */
import type { LogFormat } from './format.ts';
import sshd from './formats/sshd.json' with { type: 'json' };

export const logFormats = [sshd] as readonly LogFormat[];

/** Names of the formats of servers; `guard` and `access` are read by their own readers. */
export const logFormatNames: readonly string[] = logFormats.map(({ name }) => name);
