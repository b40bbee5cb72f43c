/**
 * Result of `guardcli replay`. With `--json` it is the last line of the output, after one line for each blocked request.
 * Strings from the logs hold one byte per character (latin1).
 */
import type { Verdict } from '../../engine/index.ts';
import type { Count } from '../batch/result.ts';
import type { FormatName } from './formats.ts';

/** A request of a log that the policy blocks. */
export interface BlockedRequest extends Pick<Verdict, 'reason' | 'target' | 'candidate' | 'rule'> {
  readonly type: 'blocked';
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
  readonly request: {
    readonly method: string;
    /** Null: the line records none. */
    readonly host: string | null;
    readonly target: string;
    readonly address: string | null;
    /** Status of the response in the log. Null: unknown. */
    readonly status: number | null;
    readonly referrer: string | null;
  };
}

/** A file. Its lines are empty, requests, not requests, unreadable or too long. */
export interface LogCounts {
  readonly name: string;
  /** Null: no line is in a known format. */
  readonly format: FormatName | null;
  readonly lines: number;
  readonly requests: number;
  /** What clients sent instead of a request, such as a TLS handshake. */
  readonly notRequests: number;
  /** Lines of another format. */
  readonly unreadable: number;
  /** The first one of these. */
  readonly firstUnreadable?: { readonly line: number; readonly text: string };
  readonly tooLong: number;
  readonly empty: number;
  /** What is wrong with the end of a compressed file. */
  readonly problem?: string;
}

export interface RequestRow {
  readonly method: string;
  readonly host: string | null;
  /** Its first 256 bytes. */
  readonly target: string;
  /** The first address that sent it. */
  readonly address: string | null;
  readonly count: number;
}

export interface RuleRow {
  /** Id of the rule, or the reason where there is none. */
  readonly name: string;
  readonly count: number;
  /** Requests that were answered with success (2xx or 304) in the log. */
  readonly answered: number;
  /** Number of client addresses, estimated where it is not exact. */
  readonly clients: number;
  readonly clientsExact: boolean;
  /** The most frequent ones. */
  readonly requests: readonly RequestRow[];
}

/** Requests that may be false positives: blocked here, but answered with success and linked from the same site. */
export interface SuspectRow {
  readonly rule: string;
  readonly method: string;
  /** Null: the log records none. */
  readonly host: string | null;
  readonly path: string;
  readonly count: number;
  readonly clients: number;
  readonly clientsExact: boolean;
  readonly example: Pick<BlockedRequest, 'file' | 'line' | 'request'>;
}

export interface ReplayResult {
  readonly type: 'summary';
  /** Path of the policy file. Null: the defaults. */
  readonly policy: string | null;
  readonly files: readonly LogCounts[];
  readonly requests: number;
  readonly verdicts: Readonly<Record<Verdict['verdict'], number>>;
  /** In descending order of frequency, like the rules. */
  readonly reasons: readonly Count[];
  readonly rules: readonly RuleRow[];
  readonly suspects: {
    /** The ones of the most clients come first. */
    readonly rows: readonly SuspectRow[];
    readonly total: number;
    /** Whether every suspect was kept. */
    readonly exact: boolean;
    /** Where lines record no host: the site that most referrers name. Null: lines record a host, or no referrer. */
    readonly site: string | null;
  };
  /** Parts of a request that the policy inspects and the logs do not contain. */
  readonly notInLogs: readonly ('bodies' | 'headers')[];
}
