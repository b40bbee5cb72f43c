/**
 * Addresses of CDNs and load balancers. A ban of one would refuse all clients behind it, so no automatic source bans them.
 * Where one does something that would be banned, the source sees the address of the edge in place of its client's.
 */
import { allPresets } from '../../contract/values/presets.ts';
import { printable } from '../../platform/escape.ts';
import { formatPrefix, type Prefix } from '../address/prefix.ts';
import type { EdgeSource } from './ban.ts';
import { createExempt, type Exempt } from './exempt.ts';

interface Origin {
  /** What the operator changes, so that the source sees the client. */
  readonly missing: string;
  /** Whether the operator can. The caller of the API gets the refusal, and lists of others have the edge itself. */
  readonly isResolvable?: true;
  /** Whether it names networks of all kinds, which are spared only within an edge: others hold more than its addresses. */
  readonly isFeed?: true;
}

const origins: Readonly<Record<EdgeSource['origin'], Origin>> = {
  local: {
    missing: 'set proxy_protocol.accept_from of the service, if the edge sends PROXY headers',
    isResolvable: true,
  },
  intake: {
    missing: 'add trustedProxies with this preset to the policy, or log the address of the client',
    isResolvable: true,
  },
  port_scan: { missing: 'nothing is missing: the edge itself connected to the port' },
  api: { missing: 'report the address of the client' },
  threatfeed: {
    missing:
      'let CrowdSec read the address of the client from its logs, and whitelist the networks of the preset there',
    isResolvable: true,
    isFeed: true,
  },
  blocklist: { missing: 'nothing is missing: a list of CrowdSec has it', isFeed: true },
};

const edgeNetworks = () =>
  allPresets()
    .filter(({ isEdge }) => isEdge)
    .map(({ name, title, networks }) => ({ name, title, networks: createExempt(networks, []) }));

/** The networks of all: most addresses are in none. */
const allNetworks = () =>
  createExempt(
    allPresets().flatMap(({ isEdge, networks }) => (isEdge ? networks : [])),
    [],
  );

const hasAddressOf = (networks: Exempt, prefix: Prefix, { isFeed }: Origin): boolean =>
  networks.covers(prefix) || (!isFeed && networks.hasAnyIn(prefix));

export class Edges {
  #presets = edgeNetworks();
  #all = allNetworks();
  readonly #reported = new Set<string>();
  #problems: string[] = [];
  readonly #report: (message: string) => void;
  #count = 0;

  /** `report`: called once for each preset and source. */
  constructor(report: (message: string) => void) {
    this.#report = report;
  }

  /** Reads the presets again, which may have newer networks after a reload, and drops the problems. */
  refresh(): void {
    this.#presets = edgeNetworks();
    this.#all = allNetworks();
    this.#reported.clear();
    this.#problems = [];
  }

  /** Sources that see an edge in place of its clients: at most one for each preset and source. */
  problems(): readonly string[] {
    return this.#problems;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Whether a ban has addresses of a CDN or a load balancer. Says which source asked for it, and counts the ban. Decisions of a
   * feed, which come again with each full response, are not counted.
   */
  refuses(prefix: Prefix, { origin, reason }: EdgeSource): boolean {
    const from = origins[origin];
    if (!hasAddressOf(this.#all, prefix, from)) return false;
    const preset = this.#presets.find(({ networks }) => hasAddressOf(networks, prefix, from));
    if (!preset) return false;
    if (!from.isFeed) this.#count++;
    const { name, title } = preset;
    if (this.#reported.has(`${name} ${origin}`)) return true;
    this.#reported.add(`${name} ${origin}`);
    const problem = `${formatPrefix(prefix)} is an address of ${title} (preset ${name}), behind which are many clients, and is not banned (${origin}: ${printable(reason)}): ${from.missing}`;
    if (from.isResolvable) this.#problems.push(problem);
    this.#report(problem);
    return true;
  }
}
