import { whyBounds } from '../counting/bounds.ts';
import type { Loki } from '../stack/loki/client.ts';
import { pagesOf, type Span } from '../stack/loki/pages.ts';
import { type Counts, countEvents } from './counts.ts';
import { eventOf, type FoundEvent } from './event.ts';

const selector = '{app="request-guard"}';

/** Quotes a text for LogQL, whose escapes are those of JSON. */
const quoted = (text: string): string => JSON.stringify(text);

const isoOf = (ms: number): string => new Date(ms).toISOString();

async function countsIn(loki: Loki, event: FoundEvent, at: number, { end }: Span): Promise<Counts> {
  const { countedMs, countedLines } = whyBounds;
  const span = { start: at - countedMs, end: Math.min(at + countedMs, end) };
  const [rule, address] = [event.rule_id || event.reason, event.client_ip].map(quoted);
  const query = `${selector} | rule_id=${rule} or client_ip=${address}`;
  const events: FoundEvent[] = [];
  let lines = 0;
  let to = isoOf(span.end);
  for await (const page of pagesOf(loki, query, span)) {
    lines += page.length;
    events.push(...page.flatMap(({ line }) => eventOf(line) ?? []));
    if (lines < countedLines) continue;
    to = events.at(-1)?.timestamp ?? to;
    break;
  }
  return { from: isoOf(span.start), to, ...countEvents(event, events) };
}

export interface FoundInLoki {
  readonly event: FoundEvent;
  readonly counts: Counts;
}

/** Searches Loki for the event of a reference. @param reference valid, so that it needs no escapes */
export async function searchLoki(loki: Loki, reference: string, span: Span): Promise<FoundInLoki | undefined> {
  for await (const page of pagesOf(loki, `${selector} |= \`"${reference}"\``, span))
    for (const { line, ns } of page) {
      const event = eventOf(line);
      if (event?.reference === reference)
        return { event, counts: await countsIn(loki, event, Number(ns.slice(0, -6)), span) };
    }
  return undefined;
}
