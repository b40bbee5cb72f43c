import type { EventSummary } from '../../contract/events/members.ts';
import { readRecord } from '../../contract/events/read.ts';
import { canonicalAddress } from '../../contract/values/address.ts';
import { isTranslated } from '../address/client.ts';
import { formatPrefix, type Prefix, readPrefix } from '../address/prefix.ts';

export interface GatewayEvent {
  /** An address in canonical text. In a summary it may be the /64 of several addresses. */
  readonly ip: string;
  /** When the requests were blocked, milliseconds since the epoch. */
  readonly at: number;
  readonly count: number;
}

/** Whether a /64 has IPv4 addresses of different clients: translated, mapped (::ffff:0:0/96) or compatible ones. */
const containsIpv4 = ({ words: [first = 0, second = 0] }: Prefix): boolean =>
  isTranslated(first) || (first === 0 && second === 0);

/** Returns the canonical text of the /64 of one client. Returns undefined for any other text. */
function networkOf(text: string): string | undefined {
  const prefix = text.endsWith('/64') ? readPrefix(text) : undefined;
  return prefix?.family === 6 && !containsIpv4(prefix) ? formatPrefix(prefix) : undefined;
}

const summarizedEvents = ({ clients }: EventSummary, at: number): GatewayEvent[] =>
  clients.flatMap(({ client, count }) => {
    const ip = canonicalAddress(client) ?? networkOf(client);
    return ip === undefined ? [] : [{ ip, at, count }];
  });

/** Part of the types that count: a blocked request, and a summary of blocked requests. Other lines are not parsed. */
const countedName = 'guard_block';

/** Returns an empty list when the line does not count, for example a line of another program. */
export function readEvents(line: string): readonly GatewayEvent[] {
  const found = line.includes(countedName) ? readRecord(line) : undefined;
  if (found === undefined) return [];
  const { record, at } = found;
  if (record.type === 'guard_block_summary') return summarizedEvents(record, at);
  // A request of a banned client does not count: its ban would never end.
  const ip =
    record.type === 'guard_block' && record.reason !== 'banned' ? canonicalAddress(record.client_ip) : undefined;
  return ip === undefined ? [] : [{ ip, at, count: 1 }];
}
