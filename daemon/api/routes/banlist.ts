import type { BanRecord } from '../../../contract/api/records.ts';
import type { Core } from '../../core.ts';
import { json } from '../answer.ts';
import type { Route } from '../call.ts';
import { ApiFailure } from '../failure.ts';
import { banRecord, decisionRecord } from '../records.ts';

/** One page of one source. */
interface Page {
  readonly records: readonly BanRecord[];
  readonly cursor: string | undefined;
}

interface Wanted {
  readonly limit: number;
  readonly cursor?: string;
  readonly ip: string | undefined;
  readonly now: number;
}

type Source = (core: Core, wanted: Wanted) => Page;

const local: Source = ({ bans }, { limit, cursor, ip, now }) => {
  const page = bans.list({ limit, ...(cursor !== undefined && { cursor }), ...(ip !== undefined && { ip }) });
  return { records: page.bans.map((ban) => banRecord(ban, now)), cursor: page.cursor };
};

const crowdsec: Source = ({ feed }, { limit, cursor, ip, now }) => {
  if (!feed) return { records: [], cursor: undefined };
  if (ip !== undefined) {
    const decision = feed.covering(ip);
    return { records: decision ? [decisionRecord(decision, now)] : [], cursor: undefined };
  }
  const page = feed.list({ limit, ...(cursor !== undefined && { cursor }) });
  return { records: page.decisions.map((decision) => decisionRecord(decision, now)), cursor: page.cursor };
};

const sources = { local, crowdsec };
type SourceName = keyof typeof sources;

const lists: Readonly<Record<SourceName | 'all', readonly SourceName[]>> = {
  local: ['local'],
  crowdsec: ['crowdsec'],
  all: ['local', 'crowdsec'],
};

/** Where a listing goes on: in a source, from its own cursor; empty: from its start. */
interface Place {
  readonly name: SourceName;
  readonly inner: string;
}

function place(cursor: string, names: readonly SourceName[]): Place {
  const at = cursor.indexOf(':');
  const name = names.find((known) => known === cursor.slice(0, at));
  if (!name) throw new ApiFailure('bad_query', 'cursor: it is not of this listing');
  return { name, inner: cursor.slice(at + 1) };
}

function after({ name }: Place, cursor: string | undefined, names: readonly SourceName[]): Place | undefined {
  if (cursor !== undefined) return { name, inner: cursor };
  const following = names[names.indexOf(name) + 1];
  return following && { name: following, inner: '' };
}

const defaultLimit = 100;

export const banlist: Route<'banlist'> = ({ core, now }, { query: { limit, cursor, ip, origin = 'local' } }) => {
  const names = lists[origin];
  const most = Number(limit ?? defaultLimit);
  const records: BanRecord[] = [];
  let next: Place | undefined = place(cursor ?? `${names[0]}:`, names);
  while (next && records.length < most) {
    const { name, inner }: Place = next;
    const from = inner === '' ? {} : { cursor: inner };
    const page = sources[name](core, { limit: most - records.length, ip, now: now(), ...from });
    records.push(...page.records);
    next = after(next, page.cursor, names);
    if (page.cursor !== undefined) break;
  }
  return json({ bans: records, ...(next && { cursor: `${next.name}:${next.inner}` }) });
};
