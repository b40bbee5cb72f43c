/** The document of a report: what the page shows, and what `--json` prints. Absent times are null. */
import type { AnsweredList } from '../../replay/result.ts';
import type { Layer } from './event.ts';
import type { OutcomeCounts, Skipped } from './tally.ts';

export interface FileCount {
  readonly name: string;
  readonly lines: number;
  /** Lines that are counted as events. */
  readonly events: number;
  /** What is wrong with its end. */
  readonly problem?: string;
}

/** The first rows of a list, and what is known about the others. */
export interface TopList<R> {
  readonly rows: readonly R[];
  /** Different values that were counted; where not exact, there were more. */
  readonly distinct: number;
  /** Whether every value was counted to the end. */
  readonly exact: boolean;
  /** The most events of a value that is not in the list for lack of memory; 0 where exact. */
  readonly missedAtMost: number;
}

/** A count; `missed` is how much it may be too low. */
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
  /** Whether `clients` is exact and not an estimate. */
  readonly clientsExact: boolean;
  readonly perClient: number;
  readonly paths: readonly { readonly path: string; readonly count: number }[];
  /** Reference of the newest event. Null: no event has one. */
  readonly reference: string | null;
}

export interface AddressRow extends Counted {
  readonly address: string;
  readonly country: string;
  readonly gateways: Pick<OutcomeCounts, 'blocked' | 'detected'>;
  readonly tcpGuard: Omit<OutcomeCounts, 'detected'>;
  /** The layer that saw it first; null: only one did. */
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
  /** The start that was asked for. */
  readonly since: string | null;
  readonly first: string | null;
  readonly last: string | null;
  readonly files: readonly FileCount[];
  /** The events are from Loki, which is the only row of `files`. */
  readonly isOfLoki: boolean;
  /** Of --site; null: the page names none. */
  readonly site: string | null;
  /** Files that are not listed. */
  readonly moreFiles: number;
  readonly lines: number;
  readonly events: number;
  readonly skipped: Readonly<Record<Skipped, number>>;
  readonly totals: Readonly<OutcomeCounts>;
  /** Events of the period of the same length before `since`. Null: there are none, or no start was asked for. */
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
  readonly rules: TopList<RuleRow>;
  /** Rules that may match the requests of ordinary visitors. */
  readonly suspects: readonly RuleRow[];
  readonly addresses: TopList<AddressRow>;
  /** Addresses that both layers saw. */
  readonly bothLayers: TopList<AddressRow>;
  readonly countries: TopList<CountryRow>;
  readonly paths: TopList<PathRow>;
  /** What clients with blocked requests got answered with success. Null: no file is of `guardcli replay --json`. */
  readonly answered: AnsweredList | null;
  /** The page that was written; null: it was printed. */
  readonly page: string | null;
}
