/** What a list bans: its entries without those that would cut off others than its authors meant. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { allPresets } from '../../contract/values/presets.ts';
import { isTooWide, isUnspecified, type Prefix, readPrefix } from '../address/prefix.ts';
import { createExempt } from '../bans/exempt.ts';
import { readEntries, rowsPerTurn } from './entries.ts';

/** Groups and reserved addresses, beside the private ones: no client has them. */
const multicast = ['224.0.0.0/3', 'ff00::/8'];

export interface Content {
  readonly entries: ReadonlySet<string>;
  /** Rows without an address. */
  readonly unread: number;
  /** Private, loopback, link-local, shared and multicast networks, and those of this host. */
  readonly ownNetworks: number;
  readonly tooWide: number;
  /** Networks of CDNs and load balancers. */
  readonly edges: number;
}

type Reason = 'ownNetworks' | 'tooWide' | 'edges';

/** Reads in several turns of the event loop. */
export async function contentOf(
  texts: readonly string[],
  column: number | undefined,
  own: readonly string[],
): Promise<Content> {
  const presets = allPresets();
  const networksOf = (isEdge: boolean) => presets.flatMap((row) => (row.isEdge === isEdge ? row.networks : []));
  const ownNetworks = createExempt([...networksOf(false), ...multicast], own);
  const edges = createExempt(networksOf(true), []);
  const refusal = (prefix: Prefix): Reason | undefined => {
    if (isTooWide(prefix)) return 'tooWide';
    if (isUnspecified(prefix) || ownNetworks.covers(prefix) || ownNetworks.hasAnyIn(prefix)) return 'ownNetworks';
    return edges.covers(prefix) || edges.hasAnyIn(prefix) ? 'edges' : undefined;
  };
  const entries = new Set<string>();
  const counts = { unread: 0, ownNetworks: 0, tooWide: 0, edges: 0 };
  const options = { now: 0, most: daemonBounds.listEntries, ...(column !== undefined && { column }) };
  let done = 0;
  for (const text of texts) {
    const read = await readEntries(text, options);
    counts.unread += read.unread;
    for (const { ip } of read.entries) {
      if (++done % rowsPerTurn === 0) await nextTurn();
      const reason = refusal(readPrefix(ip) as Prefix);
      if (reason) counts[reason]++;
      else if (entries.size < daemonBounds.listEntries) entries.add(ip);
      else counts.unread++;
    }
  }
  return { entries, ...counts };
}

const reasonTexts: Readonly<Record<Reason, string>> = {
  ownNetworks: 'private, reserved, or of this host',
  tooWide: `wider than /${daemonBounds.banPrefix[4]} (IPv6: /${daemonBounds.banPrefix[6]})`,
  edges: 'of CDNs or load balancers',
};

/** Says how many entries of a list without others were dropped, and why. Undefined: none. */
function droppedText(content: Content): string | undefined {
  const reasons = (Object.keys(reasonTexts) as Reason[]).filter((reason) => content[reason] > 0);
  if (reasons.length === 0) return undefined;
  const count = reasons.reduce((sum, reason) => sum + content[reason], 0);
  const texts = reasons.map((reason) => `${content[reason]} ${reasonTexts[reason]}`);
  return `0 of ${count} entries are left, dropped: ${texts.join('; ')}`;
}

/** Why a new content does not replace the one in force. Undefined: it does. */
export function contentProblem(content: Content, before: ReadonlySet<string>): string | undefined {
  const { entries, unread } = content;
  if (entries.size === 0)
    return droppedText(content) ?? (unread > 0 ? 'it has no addresses: is it a page?' : 'it is empty');
  const missing = [...before].filter((ip) => !entries.has(ip)).length;
  if (missing * 2 > before.size) return `it lacks ${missing} of ${before.size} entries`;
  return undefined;
}
