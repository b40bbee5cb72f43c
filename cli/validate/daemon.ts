import type { Daemon } from '../../contract/daemon/schema.ts';

export interface DaemonSummary {
  readonly services: readonly {
    readonly name: string;
    readonly protocol: string;
    readonly listen: string;
    readonly upstream: string;
  }[];
  /** A TCP address, a Unix socket, or both. */
  readonly api: readonly string[];
  readonly threatFeed: boolean;
  readonly logLevel: string;
}

export function summarizeDaemon({ services, api, threatfeed, global }: Daemon): DaemonSummary {
  return {
    services: Object.entries(services).map(([name, { protocol, listen, upstream }]) => ({
      name,
      protocol,
      listen: String(listen),
      upstream: String(upstream),
    })),
    api: [api.listen, api.socket].filter((place) => place !== ''),
    threatFeed: threatfeed.enabled,
    logLevel: global.log_level,
  };
}
