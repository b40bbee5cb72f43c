/**
 * Result of `guardcli replay`: the last line of `--json`, after one line for each blocked request. Strings from the
 * logs hold one byte per character (latin1).
 */
import type { Policy } from '../../contract/policy/schema.ts';
import type { Verdict } from '../../engine/index.ts';
import type { FoundApplication } from '../../logs/access/applications.ts';
import type { FormatName } from '../../logs/access/formats.ts';
import type { Count } from '../counting/counter.ts';

export interface BlockedRequest extends Pick<Verdict, 'reason' | 'target' | 'candidate' | 'rule'> {
  readonly type: 'blocked';
  readonly file: string;
  /** Line number in the log, from 1. */
  readonly line: number;
  readonly request: {
    readonly method: string;
    /** Null when the line records no host. */
    readonly host: string | null;
    readonly target: string;
    readonly address: string | null;
    /** Status in the log. Null: unknown. */
    readonly status: number | null;
    readonly referrer: string | null;
  };
}

/** Numbers of lines: each is empty, a request, not a request, unreadable or too long. */
export interface LogCounts {
  readonly name: string;
  /** Null when no line has a known format. */
  readonly format: FormatName | null;
  readonly lines: number;
  readonly requests: number;
  /** Lines about other data, such as a TLS handshake. */
  readonly notRequests: number;
  /** Lines that do not have the format of the file. */
  readonly unreadable: number;
  readonly firstUnreadable?: { readonly line: number; readonly text: string };
  readonly tooLong: number;
  readonly empty: number;
  /** Damage of a compressed file. Lines after it were not read. */
  readonly problem?: string;
}

export interface RequestRow {
  readonly method: string;
  readonly host: string | null;
  /** The first 256 bytes of the target. */
  readonly target: string;
  /** The first client that sent the request. */
  readonly address: string | null;
  readonly count: number;
}

export interface RuleRow {
  /** Id of the rule, or the reason without a rule. */
  readonly name: string;
  readonly count: number;
  /** Requests that succeeded (2xx or 304) in the log. */
  readonly answered: number;
  /** Number of clients, possibly estimated. */
  readonly clients: number;
  readonly clientsExact: boolean;
  readonly requests: readonly RequestRow[];
}

/**
 * Possible false positives: the policy blocks these requests, but they succeeded and were linked from the same site.
 */
export interface SuspectRow {
  readonly rule: string;
  readonly method: string;
  /** Null when the log records no host. */
  readonly host: string | null;
  readonly path: string;
  readonly count: number;
  readonly clients: number;
  readonly clientsExact: boolean;
  readonly example: Pick<BlockedRequest, 'file' | 'line' | 'request'>;
}

/** A request that succeeded (2xx or 304) for clients that also sent blocked requests. */
export interface AnsweredRow {
  readonly method: string;
  /** Null when the log records no host. */
  readonly host: string | null;
  readonly path: string;
  /** Clients with blocked requests for which the request succeeded. */
  readonly clients: number;
  readonly count: number;
  /** How often the request succeeded for other clients, at most `count`. */
  readonly others: number;
  /** Address of the client among them whose first blocked request came first. */
  readonly address: string;
}

export interface AnsweredList {
  /** Requests that clients without blocked requests sent least often come first. */
  readonly rows: readonly AnsweredRow[];
  readonly total: number;
  /** False when clients or requests were dropped to bound the memory. */
  readonly exact: boolean;
}

export interface ReplayResult {
  readonly type: 'summary';
  /** Path of the policy file. Null when the default policy applies. */
  readonly policy: string | null;
  /** In mode detect, proxies pass the blocked requests on. */
  readonly mode: Policy['mode'];
  readonly files: readonly LogCounts[];
  /** What to change before the numbers mean something, such as an address of a CDN in place of the client. */
  readonly notices: readonly string[];
  readonly requests: number;
  readonly verdicts: Readonly<Record<Verdict['verdict'], number>>;
  /** Sorted by descending frequency. */
  readonly reasons: readonly Count[];
  readonly rules: readonly RuleRow[];
  readonly suspects: {
    /** Sorted by descending number of clients. */
    readonly rows: readonly SuspectRow[];
    readonly total: number;
    /** False when suspects were dropped to bound the memory. */
    readonly exact: boolean;
    /**
     * Assumed host of lines without one: the most frequent site in the referrers of their successful requests.
     * Null when there is no such referrer.
     */
    readonly site: string | null;
  };
  readonly answered: AnsweredList;
  /** Applications of the log for which the policy has no profile yet. */
  readonly applications: readonly FoundApplication[];
  /** Parts of a request that the policy inspects, and that at least one log does not contain. */
  readonly notInLogs: readonly ('bodies' | 'headers')[];
}
