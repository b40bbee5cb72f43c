/** What the API reports about the running daemon. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

import { limits } from '../../contract/policy/limits.ts';

import type { Prefix } from '../address/prefix.ts';

import { bannableSshClients } from '../host/ssh-clients.ts';
import type { ListedText } from '../kernel-bans/index.ts';
import { serviceInfos } from '../stats/services.ts';
import type { TableStats } from '../stats/stats.ts';
import type { ConfigInForce } from './apply-config.ts';
import type { Components } from './wiring.ts';

export class DaemonStatus {
  protected readonly components: Components;
  protected readonly inForce: ConfigInForce;

  protected constructor(components: Components, inForce: ConfigInForce) {
    this.components = components;
    this.inForce = inForce;
  }

  get feed() {
    return this.components.feed.current();
  }

  get push() {
    return this.components.push.current();
  }

  lists = () => this.components.lists.current()?.state() ?? [];
  listsCovering = (prefix: Prefix) => this.components.listTable.allCovering(prefix);
  countryOf = (ip: string) => this.components.geo.countryOf(ip);
  services = () => serviceInfos(this.inForce.config, this.components.acceptor.endpointOf);
  refreshCounts = async (): Promise<void> => {
    const { acceptor, kernelBans } = this.components;
    await Promise.all([acceptor.refreshCounts(), kernelBans.refresh()]);
  };
  stats = () => {
    const { tally, connections, acceptor } = this.components;
    const activeOn = (service: string) => connections.activeOn(service) + acceptor.workerAdmittedCount(service);
    return tally.stats(Object.keys(this.inForce.config.services), activeOn);
  };
  tables = (): Readonly<Record<string, TableStats>> => {
    const { connections, bans, failures, gates, acceptor } = this.components;
    const { push } = this;
    const published = this.components.publish.current()?.state().entries;
    const maxConnections = this.inForce.rules?.maxConnections ?? 0;
    return {
      connections: { entries: connections.size() + acceptor.workerAdmittedCount(), capacity: maxConnections },
      bans: { entries: bans.count() + bans.detectedCount(), capacity: daemonBounds.bans },
      failures: { entries: failures.size(), capacity: daemonBounds.failureAddresses },
      ...gates.tables(),
      ...acceptor.tables(maxConnections),
      ...(published !== undefined && { published: { entries: published, capacity: limits.banListRanges } }),
      ...(push && { push: { entries: push.pending(), capacity: daemonBounds.pushPending } }),
    };
  };

  sshClients = () => bannableSshClients(this.inForce.config);
  dataPlane = () => this.components.acceptor.dataPlane();
  intake = () => this.components.intake.current()?.stats() ?? [];
  kernelBans = () => this.components.kernelBans.state();
  packetsOf = (entries: readonly ListedText[]) => this.components.kernelBans.packetsOf(entries);

  unattributedProbes = () =>
    this.inForce.config.port_scan.listen.length > 0 ? this.components.acceptor.unattributed() : undefined;
}
