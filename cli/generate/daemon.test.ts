import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadDaemon, loadPolicy } from '../../contract/load/index.ts';
import { generateDaemon } from './daemon.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function generate(tcp?: object): string {
  const loaded = loadPolicy(bytes(JSON.stringify(tcp ? { tcp } : {})), 'policy');
  assert.ok(loaded.ok, JSON.stringify(loaded.ok || loaded.problems));
  return generateDaemon(loaded.value);
}

function daemon(text: string, environment?: Record<string, string>) {
  const loaded = loadDaemon(bytes(text), 'tcp-guard.yaml', environment);
  assert.ok(loaded.ok, JSON.stringify(loaded.ok || loaded.problems));
  return loaded.value;
}

const ssh = { listen: ':2222', upstream: '10.0.0.5:22', protocol: 'ssh' };

const parts: Record<string, object> = {
  'nothing but defaults': {},
  'one service': { services: { ssh } },
  'every kind of key': {
    version: 1,
    global: { log_level: 'off', ban_duration: 'permanent', ban_growth: 1.5, never_ban: ['::1', '192.0.2.0/24'] },
    api: {
      listen: '[::1]:9091',
      socket: '/run/guard/api.sock',
      auth_token: '#{{a}}: "b" \'c\' `d`'.replaceAll(' ', '_'),
    },
    threatfeed: { enabled: true, api_key: '${CROWDSEC_KEY}', fallback_action: 'bypass' },
    intake: [{ file: '/var/log/guard/a b.jsonl' }, { file: '/c', after: 1, window: '1h30m' }],
    services: {
      ssh: { ...ssh, rate_limit: { connections_per_minute: 30 }, ssh: { ban_on_probable: true } },
      web: { listen: ':8443', upstream: '[2001:db8::1]:443', protocol: 'tls', tls: { deny_sni: ['*.example'] } },
      on: { listen: ':1', upstream: 'h:1', proxy_protocol: { accept_from: ['10.0.0.0/8'], send: 'v2' } },
    },
    port_scan: { listen: [':23'] },
  },
};

describe('a generated daemon file yields the tcp part that it came from', () => {
  for (const [name, tcp] of Object.entries(parts))
    it(name, () => assert.deepEqual(daemon(generate(tcp)), daemon(JSON.stringify(tcp))));
  it('with what variables hold where it runs', () => {
    const tcp = { global: { workers: 2, geoip_db: '${GEO}' }, services: { ssh: { ...ssh, upstream: '${HOST}:22' } } };
    const environment = { GEO: '/geo.mmdb', HOST: 'a.internal' };
    const read = daemon(generate(tcp), environment);
    assert.deepEqual(read, daemon(JSON.stringify(tcp), environment));
    assert.equal(read.services.ssh?.upstream, 'a.internal:22');
  });
});

describe('the text of a generated daemon file', () => {
  it('passes validation without a warning', () => {
    const loaded = loadDaemon(bytes(generate({ services: { ssh } })), 'tcp-guard.yaml');
    assert.deepEqual(loaded.ok && loaded.warnings, []);
  });
  it('has every key, with its meaning at its first place', () => {
    const text = generate({ services: { one: ssh, two: { ...ssh, listen: ':2223' } } });
    assert.equal(
      text.split(
        '# Address or Unix socket of the server that connections are relayed to: `host:port` or `unix:/path`.\n    upstream: ',
      ).length,
      2,
    );
    assert.equal(text.split('\n    upstream: ').length, 3);
    const sections = Object.keys(daemon(text));
    assert.deepEqual(
      Array.from(text.matchAll(/^\n# .+\n(\w+):/gm), ([, key]) => key),
      sections,
    );
  });
  it('explains entries of lists', () => {
    assert.match(generate(parts['every kind of key']), /- # A file whose added lines are read[^\n]+\n +file: /);
  });
  it('shows how a service is written when there is none', () => {
    const text = generate();
    const example = /^# {3}services:\n(?:# {5}.*\n)+/m.exec(text)?.[0].replace(/^# {3}/gm, '') ?? '';
    assert.deepEqual(Object.keys(daemon(example).services), ['ssh']);
    assert.doesNotMatch(generate({ services: { ssh } }), /nothing is guarded/);
  });
});
