/** The document of a report, which `--json` prints and the page shows. Absent times are null. */
import type { AnsweredList } from '../replay/result.ts';
import type { Layer } from './event.ts';
import type { OutcomeCounts, Skipped } from './tally.ts';

export interface FileCount {
  readonly name: string;
  readonly lines: number;
  readonly events: number;
  /** Why the end of the file could not be read. */
  readonly problem?: string;
}

export interface TopList<R> {
  readonly rows: readonly R[];
  /** A lower bound when `exact` is false. */
  readonly distinct: number;
  /** True when no value was dropped at the limit of `reportBounds`. */
  readonly exact: boolean;
  /** Upper bound on the events of any dropped value. 0 when `exact` is true. */
  readonly missedAtMost: number;
}

/** A count, and the number of events that it may have missed. */
interface Counted {
  readonly count: number;
  readonly missed: number;
}

export interface SourceRow extends OutcomeCounts {
  readonly source: string;
}

export interface RuleRow extends Counted {
  readonly layer: Layer;
  readonly rule: string;
  readonly blocked: number;
  readonly detected: number;
  readonly clients: number;
  /** False when the number of clients is an estimate, or when events of the rule were not counted. */
  readonly clientsExact: boolean;
  readonly perClient: number;
  readonly paths: readonly { readonly path: string; readonly count: number }[];
  /** Reference of the newest event that has one. */
  readonly reference: string | null;
}

export interface AddressRow extends Counted {
  readonly address: string;
  readonly country: string;
  readonly gateways: Pick<OutcomeCounts, 'blocked' | 'detected'>;
  readonly tcpGuard: Omit<OutcomeCounts, 'detected'>;
  /** The layer that saw the address first. Null when only one layer saw it. */
  readonly firstAt: Layer | null;
  readonly lastSeen: string;
}

export interface PathRow extends Counted {
  readonly path: string;
  readonly rule: string;
}

export interface CountryRow {
  readonly country: string;
  readonly count: number;
}

export interface ChartSeries {
  readonly name: string;
  readonly counts: readonly number[];
}

export interface ReportResult {
  readonly generated: string;
  /** Start of the range: from --since, or the default for Loki. Null for files without --since. */
  readonly since: string | null;
  readonly first: string | null;
  readonly last: string | null;
  readonly files: readonly FileCount[];
  /** True when the events come from Loki. Then Loki is the only row of `files`. */
  readonly isOfLoki: boolean;
  readonly site: string | null;
  /** Number of files that are not in `files`. */
  readonly moreFiles: number;
  readonly lines: number;
  readonly events: number;
  readonly skipped: Readonly<Record<Skipped, number>>;
  readonly totals: Readonly<OutcomeCounts>;
  /** Events of the previous period. Null without such events, or when `since` is null. */
  readonly before: Readonly<OutcomeCounts> | null;
  /** Blocked requests that a gateway counted without details. */
  readonly undetailed: number;
  readonly sources: TopList<SourceRow>;
  readonly timeline: {
    readonly bucketMs: number;
    readonly starts: readonly string[];
    readonly bySource: readonly ChartSeries[];
    readonly byRule: readonly ChartSeries[];
  };
  /** What to change before the numbers mean something, such as an address of a CDN in place of the client. */
  readonly notices: readonly string[];
  readonly rules: TopList<RuleRow>;
  /** Rules that may match the requests of ordinary visitors. */
  readonly suspects: readonly RuleRow[];
  readonly addresses: TopList<AddressRow>;
  readonly bothLayers: TopList<AddressRow>;
  readonly countries: TopList<CountryRow>;
  readonly paths: TopList<PathRow>;
  /** Null when no file has the last line of `guardcli replay --json`. */
  readonly answered: AnsweredList | null;
  /** Null when the page was printed. */
  readonly page: string | null;
}
