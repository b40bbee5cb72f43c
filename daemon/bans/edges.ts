/**
 * Addresses of CDNs and load balancers. A ban of one would refuse all clients behind it, so no automatic source bans them.
 * Where one does something that would be banned, the source sees the address of the edge in place of its client's.
 */
import { allPresets } from '../../contract/values/presets.ts';
import { formatPrefix, type Prefix } from '../address/prefix.ts';
import type { BanRequest } from './ban.ts';
import { createExempt } from './exempt.ts';

/** What the operator changes at each source, so that it sees the client. */
const missing: Readonly<Record<BanRequest['origin'], string>> = {
  local: 'set proxy_protocol.accept_from of the service, if the edge sends PROXY headers',
  intake: 'add trustedProxies with this preset to the policy, or log the address of the client',
  port_scan: 'nothing is missing: the edge itself connected to the port',
  api: 'report the address of the client',
};

/** Origins whose edge the operator can resolve to its clients. The caller of the API gets the refusal. */
const resolvable: ReadonlySet<BanRequest['origin']> = new Set(['local', 'intake']);

const edgeNetworks = () =>
  allPresets()
    .filter(({ isEdge }) => isEdge)
    .map(({ name, title, networks }) => ({ name, title, networks: createExempt(networks, []) }));

export class Edges {
  #presets = edgeNetworks();
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
  refuses(prefix: Prefix, { origin, reason }: BanRequest): boolean {
    const preset = this.#presets.find(({ networks }) => networks.covers(prefix) || networks.hasAnyIn(prefix));
    if (!preset) return false;
    this.#count++;
    const { name, title } = preset;
    if (this.#reported.has(`${name} ${origin}`)) return true;
    this.#reported.add(`${name} ${origin}`);
    const problem = `${formatPrefix(prefix)} is an address of ${title} (preset ${name}), behind which are many clients, and is not banned (${origin}: ${reason}): ${missing[origin]}`;
    if (resolvable.has(origin)) this.#problems.push(problem);
    this.#report(problem);
    return true;
  }
}
