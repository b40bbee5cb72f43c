/** Counts events near the found event: those of the same rule, and those of the same address. */
import { whyBounds } from '../counting/bounds.ts';
import { type Count, Counter, type Entry } from '../counting/counter.ts';
import { eventOf, type FoundEvent } from './event.ts';
import { eventNeedle, linesWith, needleOf } from './search.ts';

export type Named = readonly Count[];

export interface Counts {
  /** Start and end of the period in which events were counted. */
  readonly from: string;
  readonly to: string;
  readonly sameRule: { readonly requests: number; readonly addresses: number; readonly most: Named };
  readonly sameAddress: { readonly requests: number; readonly rules: Named };
}

const ruleOf = ({ rule_id, reason }: FoundEvent): string => rule_id || reason;

/** Of equally frequent names, the one of the older event comes first. */
const mostOf = (entries: readonly Entry<undefined>[]): Named =>
  entries
    .toSorted((one, other) => other.count - one.count)
    .slice(0, whyBounds.named)
    .map(({ key, count }) => ({ name: key, count }));

const sum = (entries: readonly Entry<undefined>[]): number => entries.reduce((total, { count }) => total + count, 0);

export function countEvents(found: FoundEvent, events: Iterable<FoundEvent>): Omit<Counts, 'from' | 'to'> {
  const [addresses, rules] = [new Counter(), new Counter()];
  for (const event of events) {
    if (ruleOf(event) === ruleOf(found)) addresses.add(event.client_ip);
    if (event.client_ip === found.client_ip) rules.add(ruleOf(event));
  }
  const [ofRule, ofAddress] = [addresses.entries(), rules.entries()];
  return {
    sameRule: { requests: sum(ofRule), addresses: ofRule.length, most: mostOf(ofRule) },
    sameAddress: { requests: sum(ofAddress), rules: mostOf(ofAddress) },
  };
}

/** Yields the events of lines that contain the rule or the address of the found event. */
function* eventsIn(found: FoundEvent, blocks: readonly Buffer[]): Generator<FoundEvent> {
  const needles = [ruleOf(found), found.client_ip].filter((value) => value !== '').map(needleOf);
  for (const block of blocks)
    for (const line of linesWith(block, needles)) {
      const event = eventOf(line);
      if (event) yield event;
    }
}

/** Returns the times of the earliest and the latest event. A log shipper can change the order of lines. */
function periodOf(found: FoundEvent, blocks: readonly Buffer[]): { from: string; to: string } {
  let [from, to] = [found.timestamp, found.timestamp];
  for (const block of blocks)
    for (const line of linesWith(block, [eventNeedle])) {
      const { timestamp } = eventOf(line) ?? found;
      if (Date.parse(timestamp) < Date.parse(from)) from = timestamp;
      if (Date.parse(timestamp) > Date.parse(to)) to = timestamp;
    }
  return { from, to };
}

export const countBlocks = (found: FoundEvent, blocks: readonly Buffer[]): Counts => ({
  ...periodOf(found, blocks),
  ...countEvents(found, eventsIn(found, blocks)),
});
