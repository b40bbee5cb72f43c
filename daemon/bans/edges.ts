/**
 * Addresses of CDNs and load balancers. A ban of one would refuse all clients behind it, so no automatic source bans them.
 * Where one does something that would be banned, the source sees the address of the edge in place of its client's.
 */
import { allPresets } from '../../contract/values/presets.ts';
import { printable } from '../../platform/escape.ts';
import { formatPrefix, type Prefix } from '../address/prefix.ts';
import type { EdgeSource } from './ban.ts';
import { createExempt, type Exempt } from './exempt.ts';

/** What the operator changes at each source, so that it sees the client. */
const missing: Readonly<Record<EdgeSource['origin'], string>> = {
  local: 'set proxy_protocol.accept_from of the service, if the edge sends PROXY headers',
  intake: 'add trustedProxies with this preset to the policy, or log the address of the client',
  port_scan: 'nothing is missing: the edge itself connected to the port',
  api: 'report the address of the client',
  threatfeed:
    'let CrowdSec read the address of the client from its logs, and whitelist the networks of the preset there',
};

/** Origins whose edge the operator can resolve to its clients. The caller of the API gets the refusal. */
const resolvable: ReadonlySet<EdgeSource['origin']> = new Set(['local', 'intake', 'threatfeed']);

const edgeNetworks = () =>
  allPresets()
    .filter(({ isEdge }) => isEdge)
    .map(({ name, title, networks }) => ({ name, title, networks: createExempt(networks, []) }));

/** The networks of all: most of the decisions of a large feed are in none. */
const allNetworks = () =>
  createExempt(
    allPresets().flatMap(({ isEdge, networks }) => (isEdge ? networks : [])),
    [],
  );

const hasAddressOf = (networks: Exempt, prefix: Prefix): boolean =>
  networks.covers(prefix) || networks.hasAnyIn(prefix);

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

  /** Whether a ban has addresses of a CDN or a load balancer. Counts the ban, and says which source asked for it. */
  refuses(prefix: Prefix, { origin, reason }: EdgeSource): boolean {
    if (!hasAddressOf(this.#all, prefix)) return false;
    const preset = this.#presets.find(({ networks }) => hasAddressOf(networks, prefix));
    if (!preset) return false;
    this.#count++;
    const { name, title } = preset;
    if (this.#reported.has(`${name} ${origin}`)) return true;
    this.#reported.add(`${name} ${origin}`);
    const problem = `${formatPrefix(prefix)} is an address of ${title} (preset ${name}), behind which are many clients, and is not banned (${origin}: ${printable(reason)}): ${missing[origin]}`;
    if (resolvable.has(origin)) this.#problems.push(problem);
    this.#report(problem);
    return true;
  }
}
