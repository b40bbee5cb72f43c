import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import { parseHeader } from '../../../daemon/proxy-protocol/header.ts';
import { planTcpGuard } from '../../sandbox/targets/tcp-guard.ts';
import { probeService } from '../../sandbox/targets/tcp-guard-config.ts';
import { createAddresses } from './addresses.ts';
import { proxyHeader } from './proxy-header.ts';

function daemonOf(text: string) {
  const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml', {});
  assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
  return loaded.value;
}

test('a PROXY header is read by the daemon as it was meant, in both versions', () => {
  for (const ip of ['192.0.2.7', '2001:db8::7'])
    for (const version of ['v1', 'v2'] as const) {
      const bytes = proxyHeader(ip, 4711, version);
      const header = parseHeader(Buffer.concat([bytes, Buffer.from('rest')]));
      assert.ok(header.kind === 'header' && header.source, `${version} ${ip}`);
      assert.equal(header.length, bytes.length);
      assert.equal(header.source.port, 4711);
    }
});

describe('addresses of probes', () => {
  const daemon = daemonOf(`
global: {never_ban: [198.51.100.0/24], ip_filter: {deny: [203.0.113.0/24]}}
services:
  open: {listen: ":1", upstream: "h:1"}
  inner: {listen: ":2", upstream: "h:1", ip_filter: {allow: [10.0.0.0/8], deny: [10.0.0.1]}}
  none: {listen: ":3", upstream: "h:1", ip_filter: {allow: [203.0.113.0/24]}}`);
  const { open, inner, none } = daemon.services;
  assert.ok(open && inner && none);

  it('are let in, can be banned, and are never given twice', () => {
    const { welcome } = createAddresses(daemon);
    assert.deepEqual([welcome(open), welcome(open)], ['192.0.2.1', '192.0.2.2']);
    assert.deepEqual([welcome(inner), welcome(inner)], ['10.0.0.2', '10.0.0.3']);
    assert.equal(welcome(none), undefined);
  });

  it('are kept out where one is asked for that is', () => {
    const { unwelcome } = createAddresses(daemon);
    assert.equal(unwelcome(inner), '10.0.0.1');
    assert.equal(unwelcome(open), '203.0.113.1');
    assert.equal(createAddresses(daemonOf('{}')).unwelcome(open), undefined);
  });
});

describe('the plan of a sandbox of tcp-guard', () => {
  const text = `
global: {geoip_db: /x.mmdb, geo_block: {deny_countries: [DE]}, log_file: /var/log/x, never_ban: [10.0.0.1]}
api: {listen: "", socket: /run/x.sock, allowed_hosts: [guard.example]}
threatfeed: {enabled: true, api_key: k}
services:
  a: {listen: ":25", upstream: "h:25", protocol: smtp, response: {mode: tarpit, tarpit_ms: 5000}, proxy_protocol: {send: v1}}
  off: {listen: ":26", upstream: "h:25", enabled: false}
  b: {listen: ":27", upstream: "h:25"}`;
  const carried = { policies: new Map() };
  const input = {
    image: 'i',
    session: 's',
    ipv6: true,
    isolated: false,
    port: 9000,
    token: 'token-token-token',
    carried,
  };
  const plan = (isTest: boolean) => planTcpGuard({ ...input, daemon: daemonOf(text), isTest, detach: false });

  it('gives each enabled service a port behind that of the API, and a backend of its own', () => {
    const { services, sandbox, daemon } = plan(false);
    assert.deepEqual(
      services.map(({ name, hostPort }) => [name, hostPort]),
      [
        ['a', 9001],
        ['b', 9002],
      ],
    );
    assert.deepEqual(
      sandbox.spec.ports.map(({ hostAddress, hostPort, containerPort }) => [hostAddress, hostPort, containerPort]),
      [9000, 9001, 9002].flatMap((port) => ['127.0.0.1', '::1'].map((address) => [address, port, port - 920])),
    );
    const runner = JSON.parse(sandbox.files[0]?.text ?? '');
    assert.deepEqual(
      runner.upstreams.map(({ listen, takesProxy }: Record<string, unknown>) => [listen, takesProxy]),
      [
        [daemon.services.a?.upstream, true],
        [daemon.services.b?.upstream, false],
      ],
    );
  });

  it('is a file that the daemon takes, with what a container has and no more', () => {
    const { sandbox, notes, daemon } = plan(false);
    const written = sandbox.files.find(({ name }) => name === 'tcp-guard.yaml');
    assert.deepEqual(daemonOf(written?.text ?? ''), daemon);
    assert.deepEqual(
      [daemon.api.listen, daemon.api.socket, daemon.api.auth_token, daemon.threatfeed.enabled, daemon.global.geoip_db],
      [':8080', '', 'token-token-token', false, ''],
    );
    assert.deepEqual(daemon.global.never_ban, ['10.0.0.1']);
    assert.deepEqual(daemon.services.a?.proxy_protocol.accept_from, []);
    assert.equal(notes.length, 2);
  });

  it('believes PROXY headers for a suite, which has a service of its own, and slows nothing down', () => {
    const { services, daemon } = plan(true);
    assert.equal(services.at(-1)?.name, probeService);
    for (const { config } of services) assert.deepEqual(config.proxy_protocol.accept_from, ['0.0.0.0/0', '::/0']);
    assert.deepEqual(daemon.services.a?.response, { mode: 'tarpit', tarpit_ms: 200 });
  });
});
