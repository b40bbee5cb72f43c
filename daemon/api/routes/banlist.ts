import type { BanRecord } from '../../../contract/api/records.ts';
import { readPrefix } from '../../address/prefix.ts';
import type { ThreatFeed } from '../../feed/feed.ts';
import { json } from '../answer.ts';
import type { Route } from '../call.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { banRecord, decisionRecord } from '../records.ts';

/** One page of the bans or of the decisions. */
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

const local: Source = ({ bans }, { limit, cursor, ip, now }) => {
  const page = bans.list({ limit, ...(cursor !== undefined && { cursor }), ...(ip !== undefined && { ip }) });
  return { records: page.bans.map((ban) => banRecord(ban, now)), cursor: page.cursor };
};

/** The decisions that cover an address, on one page. */
function covering(feed: ThreatFeed, ip: string): ReturnType<ThreatFeed['list']> {
  const prefix = readPrefix(ip);
  return { decisions: prefix ? feed.coveringAll(prefix) : [], cursor: undefined };
}

const crowdsec: Source = ({ feed }, { limit, cursor, ip, now }) => {
  if (!feed) return { records: [], cursor: undefined };
  const page = ip === undefined ? feed.list({ limit, ...(cursor !== undefined && { cursor }) }) : covering(feed, ip);
  const decisions = page.decisions.slice(0, limit);
  return { records: decisions.map((decision) => decisionRecord(decision, now)), cursor: page.cursor };
};

const sources = { local, crowdsec };
type SourceName = keyof typeof sources;

const lists: Readonly<Record<SourceName | 'all', readonly SourceName[]>> = {
  local: ['local'],
  crowdsec: ['crowdsec'],
  all: ['local', 'crowdsec'],
};

/**
 * A position in the order of all records: bans, then decisions. `inner`: the cursor in that source. Empty at the start.
 */
interface Position {
  readonly name: SourceName;
  readonly inner: string;
}

const order = lists.all;

function positionOf(cursor: string): Position {
  const at = cursor.indexOf(':');
  return { name: cursor.slice(0, at) as SourceName, inner: cursor.slice(at + 1) };
}

/** Returns `position` if the listing includes its source. Otherwise the start of the next included source. */
function within(position: Position, names: readonly SourceName[]): Position | undefined {
  if (names.includes(position.name)) return position;
  const following = order.slice(order.indexOf(position.name)).find((name) => names.includes(name));
  return following && { name: following, inner: '' };
}

function after({ name }: Position, cursor: string | undefined, names: readonly SourceName[]): Position | undefined {
  if (cursor !== undefined) return { name, inner: cursor };
  const following = names[names.indexOf(name) + 1];
  return following && { name: following, inner: '' };
}

const defaultLimit = 100;

export const banlist: Route<'banlist'> = ({ control, now }, { query: { limit, cursor, ip, origin = 'local' } }) => {
  const names = lists[origin];
  const most = Number(limit ?? defaultLimit);
  const records: BanRecord[] = [];
  let next = within(positionOf(cursor ?? `${order[0]}:`), names);
  while (next && records.length < most) {
    const { name, inner }: Position = next;
    const from = inner === '' ? {} : { cursor: inner };
    const page = sources[name](control, { limit: most - records.length, ip, now: now(), ...from });
    records.push(...page.records);
    next = after(next, page.cursor, names);
  }
  return json({ bans: records, ...(next && { cursor: `${next.name}:${next.inner}` }) });
};
