/** The table of targets. A row has all data for names and help, and imports other code on demand. */
import type { Policy } from '../../contract/policy/schema.ts';
import type { HostModel } from '../../engine/hosts/received.ts';

export interface Named {
  readonly name: string;
  readonly title: string;
  /** Name in the specification, which avoids names of products. */
  readonly neutral?: string;
  readonly aliases: readonly string[];
}

/** Returns the whole output, with its final newline. */
export type Generate = (policy: Policy) => string;

export interface Form extends Named {
  readonly summary: string;
  readonly load: () => Promise<Generate>;
}

export type ProxyName = 'traefik' | 'caddy' | 'nginx';
export type TargetName = ProxyName | 'tcp-guard';

export interface Target extends Named {
  readonly name: TargetName;
  /** Output formats. The name of the target also selects the first one. */
  readonly forms: readonly [Form, ...Form[]];
}

export interface ProxyTarget extends Target {
  readonly name: ProxyName;
  readonly loadHost: () => Promise<HostModel>;
}

const traefik: ProxyTarget = {
  name: 'traefik',
  title: 'Traefik',
  neutral: 'proxya',
  aliases: [],
  forms: [
    {
      name: 'traefik-yaml',
      title: 'Traefik (YAML)',
      neutral: 'proxya-yaml',
      aliases: ['yaml'],
      summary: "YAML for Traefik's file provider",
      load: async () => (await import('../generate/traefik-yaml.ts')).generateTraefikYaml,
    },
    {
      name: 'traefik-toml',
      title: 'Traefik (TOML)',
      neutral: 'proxya-toml',
      aliases: ['toml'],
      summary: "TOML for Traefik's file provider",
      load: async () => (await import('../generate/traefik-toml.ts')).generateTraefikToml,
    },
    {
      name: 'traefik-labels',
      title: 'Traefik (labels)',
      neutral: 'proxya-labels',
      aliases: ['labels', 'compose'],
      summary: 'labels for Traefik in a compose file',
      load: async () => (await import('../generate/traefik-labels.ts')).generateTraefikLabels,
    },
    {
      name: 'traefik-kubernetes',
      title: 'Traefik (Kubernetes)',
      neutral: 'proxya-kubernetes',
      aliases: ['kubernetes', 'k8s'],
      summary: 'Middleware for Traefik in Kubernetes',
      load: async () => (await import('../generate/traefik-kubernetes.ts')).generateTraefikKubernetes,
    },
  ],
  loadHost: () => import('../../engine/hosts/traefik.ts'),
};

const caddyNames = {
  name: 'caddy',
  title: 'Caddy',
  neutral: 'proxyb',
  aliases: ['caddyfile', 'proxybfile'],
} as const;

const caddy: ProxyTarget = {
  ...caddyNames,
  forms: [
    {
      ...caddyNames,
      summary: 'Caddyfile block with the guard directive',
      load: async () => (await import('../generate/caddy.ts')).generateCaddy,
    },
    {
      name: 'caddy-kubernetes',
      title: 'Caddy (Kubernetes)',
      neutral: 'proxyb-kubernetes',
      aliases: [],
      summary: 'ConfigMap with the guard directive for Caddy in Kubernetes',
      load: async () => (await import('../generate/caddy-kubernetes.ts')).generateCaddyKubernetes,
    },
  ],
  loadHost: () => import('../../engine/hosts/caddy.ts'),
};

const nginxNames = { name: 'nginx', title: 'nginx', neutral: 'proxyc', aliases: ['openresty', 'lua'] } as const;

const nginx: ProxyTarget = {
  ...nginxNames,
  forms: [
    {
      ...nginxNames,
      summary: 'configuration of nginx with the policy as a Lua table',
      load: async () => (await import('../generate/nginx.ts')).generateNginx,
    },
    {
      name: 'nginx-kubernetes',
      title: 'nginx (Kubernetes)',
      neutral: 'proxyc-kubernetes',
      aliases: [],
      summary: 'ConfigMap with the configuration of nginx in Kubernetes',
      load: async () => (await import('../generate/nginx-kubernetes.ts')).generateNginxKubernetes,
    },
  ],
  loadHost: () => import('../../engine/hosts/nginx.ts'),
};

const daemonNames = { name: 'tcp-guard', title: 'tcp-guard', aliases: ['tcp', 'l4'] } as const;

/** The target tcp-guard. It has no host model, because it is not a proxy. */
export const tcpGuard: Target = {
  ...daemonNames,
  forms: [
    {
      ...daemonNames,
      summary: 'configuration of tcp-guard, from the tcp section of the policy',
      load: async () => (await import('../generate/daemon.ts')).generateDaemon,
    },
    {
      name: 'tcp-guard-kubernetes',
      title: 'tcp-guard (Kubernetes)',
      aliases: ['tcp-kubernetes'],
      summary: 'manifests that run tcp-guard in Kubernetes, from the tcp section of the policy',
      load: async () => (await import('../generate/tcp-guard-kubernetes.ts')).generateDaemonKubernetes,
    },
  ],
};

export const proxies: readonly ProxyTarget[] = [traefik, caddy, nginx];
export const targets: readonly Target[] = [...proxies, tcpGuard];
