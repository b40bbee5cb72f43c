/** The sandbox of each proxy. Its code is imported on demand. */
import type { ProxyName } from '../../targets/table.ts';
import type { SandboxProxy } from '../plan/proxy.ts';

type Load = () => Promise<SandboxProxy>;

const loaders: Readonly<Record<ProxyName, Load>> = {
  traefik: async () => (await import('./traefik.ts')).traefik,
  caddy: async () => (await import('./caddy.ts')).caddy,
  nginx: async () => (await import('./nginx.ts')).nginx,
};

/** Proxies that also exist with the guard compiled in. */
const compiledLoaders: Partial<Record<ProxyName, Load>> = {
  traefik: async () => (await import('./traefik.ts')).compiledTraefik,
};

/** @param isCompiled whether to load the variant with the guard compiled in, where there is one */
export const loadSandbox = (name: ProxyName, isCompiled = false): Promise<SandboxProxy> =>
  ((isCompiled && compiledLoaders[name]) || loaders[name])();
