import type { BanRecord, ExemptionRecord } from '../../../contract/api/records.ts';
import { parseNetwork } from '../../../contract/values/address.ts';
import { covers, readPrefix } from '../../address/prefix.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { ApiFailure } from '../failure.ts';
import { toBanRecord, toDecisionRecord, toExemptionRecord } from '../records.ts';

interface Page {
  readonly records: readonly BanRecord[];
  readonly cursor: string | undefined;
}

interface WantedPage {
  readonly limit: number;
  readonly cursor?: string;
  readonly ip: string | undefined;
  readonly now: number;
}

type Source = (control: DaemonControl, wanted: WantedPage) => Page;

const bitsOf = ({ ip }: { readonly ip: string }): number => parseNetwork(ip)?.length ?? 0;

/**
 * A page of all records that cover an address, which are sorted from the widest. The cursor is the prefix length of the
 * last record, and how many records with this length were listed: a network can have several decisions.
 */
function coveringPage<Covering extends { readonly ip: string }>(
  all: readonly Covering[],
  { limit, cursor = '0.0' }: WantedPage,
) {
  const [bits = 0, listed = 0] = cursor.split('.').map(Number);
  const left = all.filter((record) => bitsOf(record) >= bits);
  const listedNow = Math.min(listed, left.filter((record) => bitsOf(record) === bits).length) || 0;
  const page = left.slice(listedNow, listedNow + limit);
  const last = page.at(-1);
  if (!last || listedNow + limit >= left.length) return { page, cursor: undefined };
  const lastBits = bitsOf(last);
  const count = page.filter((record) => bitsOf(record) === lastBits).length + (lastBits === bits ? listedNow : 0);
  return { page, cursor: `${lastBits}.${count}` };
}

const localSource: Source = ({ bans }, wanted) => {
  const { limit, cursor, ip, now } = wanted;
  if (ip !== undefined) {
    const covering = coveringPage(bans.list({ limit: Number.POSITIVE_INFINITY, ip }).bans, wanted);
    return { records: covering.page.map((ban) => toBanRecord(ban, now)), cursor: covering.cursor };
  }
  const page = bans.list({ limit, ...(cursor !== undefined && { cursor }) });
  return { records: page.bans.map((ban) => toBanRecord(ban, now)), cursor: page.cursor };
};

const crowdsecSource: Source = ({ feed }, wanted) => {
  if (!feed) return { records: [], cursor: undefined };
  const { limit, cursor, ip, now } = wanted;
  if (ip !== undefined) {
    const prefix = readPrefix(ip);
    const covering = coveringPage(prefix ? feed.coveringAll(prefix) : [], wanted);
    return { records: covering.page.map((decision) => toDecisionRecord(decision, now)), cursor: covering.cursor };
  }
  const page = feed.list({ limit, ...(cursor !== undefined && { cursor }) });
  return { records: page.decisions.map((decision) => toDecisionRecord(decision, now)), cursor: page.cursor };
};

const sources = { local: localSource, crowdsec: crowdsecSource };
type SourceName = keyof typeof sources;

const lists: Readonly<Record<SourceName | 'all', readonly SourceName[]>> = {
  local: ['local'],
  crowdsec: ['crowdsec'],
  all: ['local', 'crowdsec'],
};

/**
 * A position in a listing. A listing has bans first, then decisions. `name` is the source. `inner` is the cursor in the
 * source, and is empty at the start of the source.
 */
interface Position {
  readonly name: SourceName;
  readonly inner: string;
}

const sourceOrder = lists.all;

/** Whether a source gives this cursor: in a listing of what covers an address, of all bans, or of all decisions. */
function isCursorOf({ name, inner }: Position, ip: string | undefined): boolean {
  if (inner === '') return true;
  if (ip !== undefined) return /^\d{1,3}\.\d{1,15}$/.test(inner);
  return name === 'local' ? readPrefix(inner) !== undefined : /^\d{1,15}$/.test(inner);
}

/** @throws ApiFailure other_listing for a cursor of another kind of listing, which would start again without saying so */
function positionOf(cursor: string, ip: string | undefined): Position {
  const at = cursor.indexOf(':');
  const position: Position = { name: cursor.slice(0, at) as SourceName, inner: cursor.slice(at + 1) };
  if (isCursorOf(position, ip)) return position;
  throw new ApiFailure('other_listing');
}

/** Returns `position` if the listing includes its source, otherwise the start of the next included source, if any. */
function includedPosition(position: Position, names: readonly SourceName[]): Position | undefined {
  if (names.includes(position.name)) return position;
  const following = sourceOrder.slice(sourceOrder.indexOf(position.name)).find((name) => names.includes(name));
  return following && { name: following, inner: '' };
}

function positionAfter(
  { name }: Position,
  cursor: string | undefined,
  names: readonly SourceName[],
): Position | undefined {
  if (cursor !== undefined) return { name, inner: cursor };
  const following = names[names.indexOf(name) + 1];
  return following && { name: following, inner: '' };
}

/** The exemptions in force, or those that cover an address or network. */
export function exemptionRecords(
  { exemptions }: DaemonControl,
  ip: string | undefined,
  now: number,
): ExemptionRecord[] {
  const inner = ip === undefined ? undefined : readPrefix(ip);
  const listed = exemptions.list().filter((exemption) => {
    const outer = readPrefix(exemption.ip);
    return !inner || (outer !== undefined && covers(outer, inner));
  });
  return listed.map((exemption) => toExemptionRecord(exemption, now));
}

const defaultLimit = 100;

/** Adds the packets that the firewall dropped. */
async function withPackets({ packetsOf }: DaemonControl, records: readonly BanRecord[]): Promise<BanRecord[]> {
  const counts = await packetsOf(
    records.map(({ ip, origin }) => ({ ip, list: origin === 'crowdsec' ? 'threatfeed' : 'ban' })),
  );
  return records.map((record, index) => {
    const packets = counts[index];
    return packets === undefined ? record : { ...record, packets };
  });
}

export const banlist: Route<'banlist'> = async (
  { control, now },
  { query: { limit, cursor, ip, origin = 'local' } },
) => {
  const names = lists[origin];
  const most = Number(limit ?? defaultLimit);
  const records: BanRecord[] = [];
  let next = includedPosition(positionOf(cursor ?? `${sourceOrder[0]}:`, ip), names);
  while (next && records.length < most) {
    const { name, inner }: Position = next;
    const from = inner === '' ? {} : { cursor: inner };
    const page = sources[name](control, { limit: most - records.length, ip, now: now(), ...from });
    records.push(...page.records);
    next = positionAfter(next, page.cursor, names);
  }
  const exemptions = cursor === undefined ? exemptionRecords(control, ip, now()) : [];
  const allowed = exemptions.length > 0 && { exemptions };
  const bans = await withPackets(control, records);
  return jsonAnswer({ bans, ...allowed, ...(next && { cursor: `${next.name}:${next.inner}` }) });
};
