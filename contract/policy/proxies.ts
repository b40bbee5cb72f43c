/** The proxies that the guard runs in, as `gateway` of their events. */
export const proxyNames = ['caddy', 'traefik', 'nginx'] as const;
