/** Counts events. Memory use does not grow with the input. */

import { type Outcome, outcomes } from '../../contract/events/members.ts';
import { reportBounds } from '../counting/bounds.ts';
import { Counter } from '../counting/counter.ts';
import { Distinct, hashOf } from '../counting/distinct.ts';
import type { AnsweredList } from '../replay/result.ts';
import { createClients } from './address.ts';
import { joinAnswered } from './answered.ts';
import type { Details, Layer, Refused, ReportEvent } from './event.ts';
import { Series, Timeline } from './timeline.ts';

export type Skipped = Refused | 'tooLong' | 'wrongTime' | 'older';

export type OutcomeCounts = Record<Outcome, number>;

const noOutcomes = (): OutcomeCounts => Object.fromEntries(outcomes.map((one) => [one, 0])) as OutcomeCounts;

export class SourceTally {
  readonly outcomes = noOutcomes();
  readonly series = new Series();
}

export class RuleTally {
  layer: Layer = 'gateway';
  rule = '';
  blocked = 0;
  detected = 0;
  /** Reference and time of the newest event that has one. */
  reference: string | undefined;
  referencedAt = Number.NEGATIVE_INFINITY;
  readonly clients = new Distinct(reportBounds.ruleClients);
  readonly paths = new Counter(reportBounds.rulePaths);
  readonly series = new Series();
}

export class AddressTally {
  country = '';
  /** `first`: time of the first event. Infinity without one. */
  readonly gateway = { ...noOutcomes(), first: Number.POSITIVE_INFINITY };
  readonly tcp = { ...noOutcomes(), first: Number.POSITIVE_INFINITY };
  last = Number.NEGATIVE_INFINITY;
}

export class PathTally {
  /** Rule and time of the earliest request with this path, whatever the order of the files. */
  rule = '';
  at = Number.POSITIVE_INFINITY;
}

/** Returns true for outcomes that charts and lists of requests count. */
const isHit = (outcome: Outcome): boolean => outcome === 'blocked' || outcome === 'detected';
/** Returns true for outcomes that the list of addresses counts. */
const isAddressEvent = (outcome: Outcome): boolean =>
  isHit(outcome) || outcome === 'auth_failure' || outcome === 'banned';

export interface Range {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Events before this time are skipped. -Infinity for files without --since. */
  readonly since: number;
}

/** Returns the start of the previous period of the same length. */
export const previousStart = ({ now, since }: Range): number => since - (now - since);

export class Tally {
  readonly range: Range;
  /** Events of the previous period. */
  readonly before = noOutcomes();
  readonly skipped: Record<Skipped, number> = {
    ...{ notJson: 0, otherRecords: 0, malformed: 0, replayed: 0, tooLong: 0, wrongTime: 0, older: 0 },
  };
  readonly totals = noOutcomes();
  /** Events of which a gateway wrote only a count. */
  undetailed = 0;
  events = 0;
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  readonly timeline = new Timeline();
  readonly all = new Series();
  readonly sources = new Counter(reportBounds.sources, () => new SourceTally());
  readonly rules = new Counter(reportBounds.rules, () => new RuleTally());
  readonly addresses = new Counter(reportBounds.addresses, () => new AddressTally());
  readonly paths = new Counter(reportBounds.paths, () => new PathTally());
  readonly countries = new Counter();
  /** Null until the last line of `guardcli replay --json` was read. */
  answered: AnsweredList | null = null;
  readonly #clientOf = createClients();

  constructor(range: Range) {
    this.range = range;
  }

  skip(cause: Skipped): void {
    this.skipped[cause] += 1;
  }

  addAnswered(list: AnsweredList): void {
    this.answered = joinAnswered(this.answered, list);
  }

  /** Counts an event. Returns false when it is skipped. */
  add(event: ReportEvent): boolean {
    const { at, details } = event;
    const client = details && this.#clientOf(details.ip);
    const cause = this.#refusal(at, details !== undefined && details.ip !== '' && client === undefined);
    if (cause) {
      this.skip(cause);
      if (cause === 'older' && at >= previousStart(this.range)) this.before[event.outcome] += event.count;
      return false;
    }
    this.events += 1;
    this.first = Math.min(this.first, at);
    this.last = Math.max(this.last, at);
    this.#addTotals(event);
    if (details) this.#addDetails(event, details, client);
    else this.undetailed += event.count;
    return true;
  }

  #refusal(at: number, isMalformed: boolean): Skipped | undefined {
    const { now, since } = this.range;
    if (isMalformed) return 'malformed';
    if (at > now + reportBounds.futureMs || at < now - reportBounds.oldestMs) return 'wrongTime';
    return at < since ? 'older' : undefined;
  }

  #addTotals({ source, outcome, at, count }: ReportEvent): void {
    this.totals[outcome] += count;
    const { value } = this.sources.add(source, count);
    value.outcomes[outcome] += count;
    if (!isHit(outcome)) return;
    this.timeline.add(value.series, at, count);
    this.timeline.add(this.all, at, count);
  }

  #addDetails(event: ReportEvent, details: Details, client: string | undefined): void {
    if (client !== undefined) this.#addAddress(event, details, client);
    if (!isHit(event.outcome)) return;
    this.#addRule(event, details, client);
    const { country, path, rule } = details;
    if (country !== '') this.countries.add(country, event.count);
    if (path !== undefined) this.#addPath(path, rule, event);
  }

  #addPath(path: string, rule: string, { at, count }: ReportEvent): void {
    const { value } = this.paths.add(path, count);
    if (at < value.at || (at === value.at && rule < value.rule)) [value.at, value.rule] = [at, rule];
  }

  #addAddress({ layer, outcome, at, count }: ReportEvent, { country }: Details, client: string): void {
    const { value } = this.addresses.add(client, isAddressEvent(outcome) ? count : 0);
    const tally = layer === 'gateway' ? value.gateway : value.tcp;
    tally[outcome] += count;
    tally.first = Math.min(tally.first, at);
    value.last = Math.max(value.last, at);
    value.country ||= country;
  }

  #addRule(
    { layer, outcome, at, count }: ReportEvent,
    { rule, path, reference }: Details,
    client: string | undefined,
  ): void {
    const { value } = this.rules.add(`${layer} ${rule}`, count);
    value.layer = layer;
    value.rule = rule;
    if (outcome === 'blocked') value.blocked += count;
    else value.detected += count;
    this.timeline.add(value.series, at, count);
    if (reference !== undefined && at >= value.referencedAt) [value.reference, value.referencedAt] = [reference, at];
    if (client !== undefined) value.clients.add(hashOf(client));
    if (path !== undefined) value.paths.add(path, count);
  }
}
