import type { ProxyName } from '../../targets/table.ts';
import type { SandboxProxy } from '../plan/proxy.ts';

const loaders: Readonly<Record<ProxyName, () => Promise<SandboxProxy>>> = {
  traefik: async () => (await import('./traefik.ts')).traefik,
  caddy: async () => (await import('./caddy.ts')).caddy,
  nginx: async () => (await import('./nginx.ts')).nginx,
};

export const loadSandbox = (name: ProxyName): Promise<SandboxProxy> => loaders[name]();
