import type { LogOutcome } from '../../../contract/logs/format.ts';

/** A line of a log, and the row that read it. */
export interface LogLineResult {
  readonly line: number;
  readonly text: string;
  /** Index of the pattern in the format, from 0. Null: no pattern matches, so the line says nothing of a client. */
  readonly row: number | null;
  readonly outcome?: LogOutcome;
  readonly address?: string;
  readonly user?: string;
  /** Attempts that the line counts as. */
  readonly attempts?: number;
  /** RFC 3339, as `guardcli replay --bans` reads it. Null: in no known form. */
  readonly time?: string | null;
}

interface LogRowCount {
  readonly row: number;
  readonly outcome: LogOutcome;
  readonly pattern: string;
  readonly lines: number;
}

export interface LogResult {
  readonly log: string;
  readonly format: string;
  readonly lines: number;
  /** Lines that no pattern matches. */
  readonly unread: number;
  readonly rows: readonly LogRowCount[];
}
