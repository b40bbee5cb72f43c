/** Runs the sandbox with every example, and with a service of every protocol. */
import { join } from 'node:path';
import { test } from 'node:test';
import { protocols } from '../../contract/daemon/protocols.ts';
import { packageRoot } from '../../platform/assets.ts';
import { passesTcpGuard, skip, temporaryFile } from '../support/guardcli.ts';

/** Options by protocol. The tested file is itself the policy guard.json, with this configuration as `tcp`. */
const options: Readonly<Record<string, object>> = {
  http: { http: { policy: 'guard.json', allow_hosts: ['*.example.org'] } },
  tls: { tls: { allow_sni: ['*.example.org'], min_version: '1.2' } },
};

/**
 * A configuration of all protocols with different rates, filters and responses, and of all external sources of bans.
 */
const everything = {
  global: {
    ip_filter: { deny: ['203.0.113.0/24'] },
    ban_after_failures: 3,
    geoip_db: '/nowhere/countries.mmdb',
    geo_block: { deny_countries: ['FR'] },
  },
  threatfeed: { enabled: true, api_key: 'a-key', fallback_action: 'throttle' },
  intake: [{ file: '/nowhere/events.jsonl', after: 3 }],
  port_scan: { listen: [':23', ':3389'] },
  services: Object.fromEntries(
    protocols.map((protocol, index) => [
      `${protocol}-x`,
      {
        ...{ listen: `:${3000 + index}`, upstream: 'h.internal:1', protocol },
        response: { mode: ['drop', 'reject', 'tarpit'][index % 3] },
        ...(index % 2 === 0 && { max_connections_per_ip: 5 }),
        ...(index % 5 === 0 && { rate_limit: { connections_per_minute: 60, burst: 5 } }),
        ...(index % 4 === 0 && { proxy_protocol: { send: index % 8 === 0 ? 'v1' : 'v2' } }),
        ...options[protocol],
      },
    ]),
  ),
};

for (const name of ['tcp-guard-ssh', 'tcp-guard-mail', 'tcp-guard-databases'])
  test(`sandbox tcp-guard ${name}.yaml --test passes and leaves nothing behind`, { skip }, (t) =>
    passesTcpGuard(t, join(packageRoot, `examples/${name}.yaml`)),
  );

test('a service of every protocol, from the tcp part of a policy, passes without a way out', { skip }, (t) =>
  passesTcpGuard(t, temporaryFile('guard.json', { methods: ['GET'], tcp: everything }), '--isolated'),
);
