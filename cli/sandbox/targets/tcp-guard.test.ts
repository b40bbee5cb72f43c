import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { UsageError } from '../../../platform/errors.ts';
import { probeService } from '../../probes/tcp/published.ts';
import { madeUpValue } from '../plan/variables.ts';
import { planTcpGuard } from './tcp-guard.ts';

function daemonOf(text: string) {
  const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml');
  assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
  return loaded.value;
}

const text = `
global: {geoip_db: /x.mmdb, geo_block: {deny_countries: [DE]}, log_file: /var/log/x, never_ban: [10.0.0.1]}
api: {listen: "", socket: /run/x.sock, allowed_hosts: [guard.example]}
threatfeed: {enabled: true, api_key: k, push: true, machine_id: m, password: p}
intake: [{file: /var/log/x.jsonl}]
port_scan: {listen: [":23", ":3389"]}
services:
  a: {listen: ":25", upstream: "h:25", protocol: smtp, response: {mode: tarpit, tarpit_ms: 5000}, proxy_protocol: {send: v1}}
  off: {listen: ":26", upstream: "h:25", enabled: false}
  b: {listen: ":27", upstream: "h:25", protocol: http, http: {policy: guard.json}, geo_block: {deny_countries: [FR]}}
  c: {listen: ":28", upstream: "h:25", protocol: tls}`;
const policy = { text: '{}', policy: { mode: 'enforce' } as unknown as Policy };
const database = { bytes: Buffer.from('x'), countryOf: () => 'DE' };
const mounted = { policies: new Map([['guard.json', policy]]), database };
const input = {
  image: 'i',
  session: 's',
  ipv6: true,
  isolated: false,
  port: 9000,
  token: 'token-token-token',
  mounted,
  passed: {},
};
const plan = (isTest: boolean) => planTcpGuard({ ...input, daemon: daemonOf(text), isTest, detach: false });
const planOf = (file: string, passed = {}) =>
  planTcpGuard({ ...input, daemon: daemonOf(file), passed, isTest: true, detach: false });

test('gives each enabled service a port after the API port, and its own backend', () => {
  const { services, sandbox, daemon, traps, intakes, decisions } = plan(false);
  assert.deepEqual(
    services.map(({ name, hostPort }) => [name, hostPort]),
    [
      ['a', 9001],
      ['b', 9002],
      ['c', 9003],
    ],
  );
  const others = [...traps, ...intakes].map(({ hostPort }) => hostPort);
  assert.deepEqual([...others, decisions], [9004, 9005, 9006, 9007]);
  assert.deepEqual(
    sandbox.spec.ports.map(({ hostAddress, hostPort, containerPort }) => [hostAddress, hostPort, containerPort]),
    Array.from({ length: 8 }, (_, index) => 9000 + index).flatMap((port) =>
      ['127.0.0.1', '::1'].map((address) => [address, port, port - 920]),
    ),
  );
  const runner = JSON.parse(sandbox.files[0]?.text ?? '');
  assert.deepEqual(
    runner.upstreams.map(({ listen, takesProxy, tls }: Record<string, unknown>) => [listen, takesProxy, tls]),
    [
      [daemon.services.a?.upstream, true, false],
      [daemon.services.b?.upstream, false, false],
      [daemon.services.c?.upstream, false, true],
    ],
  );
  assert.deepEqual(runner.appends, [{ listen: ':8086', file: daemon.intake[0]?.file }]);
  assert.deepEqual(runner.decisions, { listen: ':8087', key: daemon.threatfeed.api_key });
  assert.equal(daemon.threatfeed.lapi_url, 'http://127.0.0.1:8087');
  assert.deepEqual(daemon.port_scan.listen, [':8084', ':8085']);
});

test('is valid for the daemon and uses only what the container has', () => {
  const { sandbox, notes, daemon, services } = plan(false);
  const written = sandbox.files.find(({ name }) => name === 'tcp-guard.yaml');
  assert.deepEqual(daemonOf(written?.text ?? ''), daemon);
  assert.deepEqual(
    [daemon.api.listen, daemon.api.socket, daemon.api.auth_token, daemon.threatfeed.push, daemon.global.geoip_db],
    [':8080', '', 'token-token-token', false, '/etc/guard/geoip.mmdb'],
  );
  const copied = sandbox.files.slice(2).map(({ name, text, bytes }) => [name, text, bytes]);
  assert.deepEqual(copied, [
    ['policy-0.json', '{}', undefined],
    ['geoip.mmdb', '1 bytes', database.bytes],
  ]);
  assert.equal(daemon.services.b?.http?.policy, 'policy-0.json');
  assert.deepEqual(
    services.map((service) => service.policy),
    [undefined, policy.policy, undefined],
  );
  assert.deepEqual(daemon.global.never_ban, ['10.0.0.1']);
  assert.deepEqual(daemon.services.a?.proxy_protocol.accept_from, []);
  for (const what of ['services: ', 'api.socket', 'threatfeed.push', 'intake: ', 'port_scan: ', 'http.policy: '])
    assert.ok(
      notes.some((note) => note.startsWith(what)),
      what,
    );
});

test('omits unsupported settings and explains why', () => {
  const without = { policies: mounted.policies, database: 'it is invalid' };
  const { daemon, services, notes, sandbox, countryOf } = planTcpGuard({
    ...{ ...input, daemon: daemonOf(text), isTest: false, detach: false },
    ...{ mounted: without, lacksNative: 'there is none' },
  });
  assert.deepEqual(daemon.services.b?.geo_block.deny_countries, []);
  assert.deepEqual([daemon.global.geoip_db, countryOf, services[1]?.policy], ['', undefined, undefined]);
  assert.equal(
    sandbox.files.some(({ name }) => name === 'geoip.mmdb'),
    false,
  );
  assert.match(notes.join('\n'), /geo_block is omitted: \/x\.mmdb is not copied: it is invalid/);
  assert.match(notes.join('\n'), /http\.policy is omitted: it needs the module re2, and there is none/);
});

test('trusts PROXY headers in a test, adds the relay service, and limits delays', () => {
  const { services, daemon } = plan(true);
  assert.equal(services.at(-1)?.name, probeService);
  for (const { config } of services) assert.deepEqual(config.proxy_protocol.accept_from, ['0.0.0.0/0', '::/0']);
  assert.deepEqual(daemon.services.a?.response, { mode: 'tarpit', tarpit_ms: 200 });
});

const withNames = `
threatfeed: {enabled: true, api_key: "\${CROWDSEC_API_KEY}", lapi_url: "\${LAPI}"}
global: {log_file: "\${LOGS}/x", never_ban: []}
services:
  web: {listen: ":\${PORT}", upstream: "\${BACKEND}:80", protocol: tls, tls: {deny_sni: ["\${BAD}.example"]}}`;

test('makes up the values of variables, and keeps them out of keys that the sandbox replaces', () => {
  const { sandbox, daemon, services, notes } = planOf(withNames);
  assert.deepEqual(sandbox.spec.env, { BAD: madeUpValue });
  assert.deepEqual(services[0]?.config.tls?.deny_sni, [`${madeUpValue}.example`]);
  assert.deepEqual(daemon.services.web?.tls?.deny_sni, [`${madeUpValue}.example`]);
  assert.match(sandbox.files.find(({ name }) => name === 'tcp-guard.yaml')?.text ?? '', /\$\{BAD\}\.example/);
  assert.match(notes.at(-1) ?? '', /made-up values for \$\{BAD\}/);
});

test('passes on only the variables of --env that the container needs', () => {
  const { sandbox, services } = planOf(withNames, { BAD: 'bad', CROWDSEC_API_KEY: 'secret', OTHER: 'x' });
  assert.deepEqual(sandbox.spec.env, { BAD: 'bad' });
  assert.deepEqual(services[0]?.config.tls?.deny_sni, ['bad.example']);
});

test('refuses a value that does not fit its key without printing it', () => {
  const file = 'global: {never_ban: [10.0.0.1, "${OFFICE}"]}\n';
  const refused = (passed: object, message: string, hint: RegExp) =>
    assert.throws(
      () => planOf(file, passed),
      (error: UsageError) => {
        assert.equal(error.message, message);
        assert.match(error.hint ?? '', hint);
        return true;
      },
    );
  refused({}, 'global.never_ban[1] cannot have the made-up value of ${OFFICE}', /with --env OFFICE$/);
  refused(
    { OFFICE: 'a secret' },
    'global.never_ban[1] cannot have the value of ${OFFICE}',
    /^correct the value of OFFICE$/,
  );
  assert.deepEqual(planOf(file, { OFFICE: '192.0.2.1' }).daemon.global.never_ban, ['10.0.0.1', '192.0.2.1']);
});
