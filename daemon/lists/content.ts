/** What a list bans: its entries without those that would cut off others than its authors meant. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { allPresets } from '../../contract/values/presets.ts';
import { isTooWide, isUnspecified, type Prefix, readPrefix } from '../address/prefix.ts';
import { createExempt } from '../bans/exempt.ts';
import { readEntries, rowsPerTurn } from './entries.ts';

/** Groups and reserved addresses, beside the private ones: no client has them. */
const multicast = ['224.0.0.0/3', 'ff00::/8'];

/** What was not enforced of a list, and why. */
export interface Counts {
  /** Rows without an address, and those beyond the bounds. */
  readonly unread: number;
  /** Private, loopback, link-local, shared and multicast networks, and those of this host. */
  readonly ownNetworks: number;
  readonly tooWide: number;
  /** Networks of CDNs and load balancers. */
  readonly edges: number;
}

export interface Content extends Counts {
  readonly entries: ReadonlySet<string>;
  /** Entries beyond the bounds, which `unread` counts, too. */
  readonly beyond: number;
}

type Reason = 'ownNetworks' | 'tooWide' | 'edges';
type Filter = (prefix: Prefix) => Reason | undefined;

function createFilter(own: readonly string[]): Filter {
  const presets = allPresets();
  const networksOf = (isEdge: boolean) => presets.flatMap((row) => (row.isEdge === isEdge ? row.networks : []));
  const ownNetworks = createExempt([...networksOf(false), ...multicast], own);
  const edges = createExempt(networksOf(true), []);
  return (prefix) => {
    if (isTooWide(prefix)) return 'tooWide';
    if (isUnspecified(prefix) || ownNetworks.covers(prefix) || ownNetworks.hasAnyIn(prefix)) return 'ownNetworks';
    return edges.covers(prefix) || edges.hasAnyIn(prefix) ? 'edges' : undefined;
  };
}

export interface ContentOptions {
  /** The column of a CSV with the addresses, from 1. */
  readonly column?: number | undefined;
  /** Addresses of this host. */
  readonly own: readonly string[];
  /** The largest number of entries. */
  readonly most: number;
}

class Draft implements Content {
  readonly entries = new Set<string>();
  unread: number;
  ownNetworks: number;
  tooWide: number;
  edges: number;
  beyond = 0;
  readonly #most: number;
  readonly #refusal: Filter;

  constructor({ own, most }: ContentOptions, { unread, ownNetworks, tooWide, edges }: Counts) {
    [this.unread, this.ownNetworks, this.tooWide, this.edges] = [unread, ownNetworks, tooWide, edges];
    this.#most = most;
    this.#refusal = createFilter(own);
  }

  addBeyond(count: number): void {
    this.beyond += count;
    this.unread += count;
  }

  async add(addresses: Iterable<string>): Promise<void> {
    let done = 0;
    for (const ip of addresses) {
      if (++done % rowsPerTurn === 0) await nextTurn();
      const prefix = readPrefix(ip);
      const reason = prefix && this.#refusal(prefix);
      if (!prefix) this.unread++;
      else if (reason) this[reason]++;
      else if (this.entries.size < this.#most) this.entries.add(ip);
      else if (!this.entries.has(ip)) this.addBeyond(1);
    }
  }
}

export const noCounts: Counts = { unread: 0, ownNetworks: 0, tooWide: 0, edges: 0 };

/** Reads texts in several turns of the event loop. */
export async function contentOf(texts: readonly string[], options: ContentOptions): Promise<Content> {
  const draft = new Draft(options, noCounts);
  const { column } = options;
  for (const text of texts) {
    const read = await readEntries(text, {
      now: 0,
      most: daemonBounds.listEntries,
      ...(column !== undefined && { column }),
    });
    draft.unread += read.unread;
    draft.addBeyond(read.beyond);
    await draft.add(read.entries.map(({ ip }) => ip));
  }
  return draft;
}

/** Returns what is left of entries that an earlier run kept: this host can have other addresses now. */
export async function keptContent(
  entries: readonly string[],
  counts: Counts,
  options: ContentOptions,
): Promise<Content> {
  const draft = new Draft(options, counts);
  await draft.add(entries);
  return draft;
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
  const { entries, unread, beyond } = content;
  if (entries.size === 0 && beyond > 0)
    return `it has no room: all lists together have at most ${daemonBounds.listsEntries} entries`;
  if (entries.size === 0)
    return droppedText(content) ?? (unread > 0 ? 'it has no addresses: is it a page?' : 'it is empty');
  const missing = [...before].filter((ip) => !entries.has(ip)).length;
  if (missing * 2 > before.size) return `it lacks ${missing} of ${before.size} entries`;
  return undefined;
}
