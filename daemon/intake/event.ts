import { limits } from '../../contract/policy/limits.ts';
import { formatAddress, parseAddress } from '../../contract/values/address.ts';
import { isTranslated } from '../address/client.ts';
import { formatPrefix, type Prefix, readPrefix } from '../address/prefix.ts';

/** The types of events that count: a blocked request, and a summary of blocked requests. Detections do not count. */
const blockedType = 'guard_block';
const summaryType = 'guard_block_summary';
const longestAddress = 64;
const longestTime = 40;

export interface GatewayEvent {
  /** An address in canonical text. In a summary it may be the /64 of several addresses. */
  readonly ip: string;
  /** When the requests were blocked, milliseconds since the epoch. Undefined when the line has no valid time. */
  readonly at: number | undefined;
  readonly count: number;
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

function parseLine(line: string): Members {
  try {
    return membersOf(JSON.parse(line));
  } catch {
    return {};
  }
}

const isShort = (text: unknown): text is string => typeof text === 'string' && text.length <= longestAddress;

function addressOf(text: unknown): string | undefined {
  const address = isShort(text) ? parseAddress(text) : undefined;
  return address && formatAddress(address);
}

/** Whether a /64 has IPv4 addresses of different clients: translated, mapped (::ffff:0:0/96) or compatible ones. */
const containsIpv4 = ({ words: [first = 0, second = 0] }: Prefix): boolean =>
  isTranslated(first) || (first === 0 && second === 0);

/** Returns the canonical text of the /64 of one client. Returns undefined for any other text. */
function networkOf(text: unknown): string | undefined {
  const prefix = isShort(text) && text.endsWith('/64') ? readPrefix(text) : undefined;
  return prefix?.family === 6 && !containsIpv4(prefix) ? formatPrefix(prefix) : undefined;
}

function timeOf(timestamp: unknown): number | undefined {
  const at = typeof timestamp === 'string' && timestamp.length <= longestTime ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function summarizedEvents({ clients, timestamp }: Members): GatewayEvent[] {
  if (!Array.isArray(clients)) return [];
  const at = timeOf(timestamp);
  return clients.slice(0, limits.eventSumNames).flatMap((entry: unknown) => {
    const { client, count } = membersOf(entry);
    const ip = addressOf(client) ?? networkOf(client);
    const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count > 0;
    return ip !== undefined && isCount ? [{ ip, at, count }] : [];
  });
}

/** Returns an empty list when the line does not count, for example a line of another program. */
export function readEvents(line: string): readonly GatewayEvent[] {
  if (!line.includes(blockedType)) return [];
  const members = parseLine(line);
  if (members.type === summaryType) return summarizedEvents(members);
  const ip = members.type === blockedType ? addressOf(members.client_ip) : undefined;
  return ip === undefined ? [] : [{ ip, at: timeOf(members.timestamp), count: 1 }];
}
