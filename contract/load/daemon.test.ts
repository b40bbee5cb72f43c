import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import type { Environment } from '../daemon/environment.ts';
import { loadDaemon } from './index.ts';

const load = (text: string, environment?: Environment) =>
  loadDaemon(new TextEncoder().encode(text), 'tcp-guard.yaml', environment);

function problemsOf(text: string, environment?: Environment): string[] {
  const loaded = load(text, environment);
  assert.ok(!loaded.ok, 'the file loads');
  return loaded.problems.map(({ line, kind, path }) => `${line} ${kind} ${path}`);
}

function accepted(text: string, environment?: Environment) {
  const loaded = load(text, environment);
  assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
  return loaded.value;
}

const service = (keys: string) => `services: {a: {listen: ":1", upstream: "h:2", ${keys}}}`;
const passive = (keys: string) => service(`protocol: ftp, ftp: {passive: {${keys}}}`);

/** A file and its expected problems. */
// biome-ignore format: one case a line
const refused: [string, string, ...string[]][] = [
  ['an unknown section', 'servces: {}', '1 unknown_key servces'],
  ['camelCase', 'global: {logLevel: info}', '1 unknown_key global.logLevel'],
  ['an unknown level', 'global: {log_level: loud}', '1 bad_value global.log_level'],
  ['another version', 'version: 2', '1 bad_value version'],
  ['a number for a duration', 'global: {ban_duration: 60}', '1 wrong_type global.ban_duration'],
  ['a duration without unit', 'global: {ban_duration: "60"}', '1 bad_value global.ban_duration'],
  ['a ban of two years', 'global: {ban_duration: 730d}', '1 out_of_range global.ban_duration'],
  ['a permanent window', 'global: {failure_window: permanent}', '1 out_of_range global.failure_window'],
  ['a fraction of a worker', 'global: {workers: 1.5}', '1 wrong_type global.workers'],
  ['no connections', 'global: {max_connections: 0}', '1 out_of_range global.max_connections'],
  ['a container whose other log clients write lines in', 'intake: [{container: web, format: nginx}]', '1 conflict intake[0].container'],
  ['an address with a leading zero', 'global: {never_ban: [010.0.0.1]}', '1 bad_address global.never_ban[0]'],
  ['a country in small letters', 'global: {geoip_db: x, geo_block: {deny_countries: [de]}}', '1 bad_value global.geo_block.deny_countries[0]'],
  ['a country list without a database', 'global: {geo_block: {allow_countries: [DE]}}', '1 missing_key global.geoip_db'],
  ['a country list of a service without a database', service('geo_block: {deny_countries: [DE]}'), '1 missing_key global.geoip_db'],
  ['one address allowed and denied', 'global: {ip_filter: {allow: [10.0.0.1], deny: [10.0.0.1]}}', '1 conflict global.ip_filter.deny[0]'],
  ['an API without port', 'api: {listen: 127.0.0.1}', '1 bad_value api.listen'],
  ['an open API without token', 'api: {listen: ":9091"}', '1 missing_key api.auth_token'],
  ['an open API without token on IPv6', 'api: {listen: "[::]:9091"}', '1 missing_key api.auth_token'],
  ['a short token', 'api: {auth_token: secret}', '1 bad_value api.auth_token'],
  ['a long socket path', `api: {socket: /${'x'.repeat(107)}}`, '1 out_of_range api.socket'],
  ['a host with a port', 'api: {allowed_hosts: ["a:80"]}', '1 bad_value api.allowed_hosts[0]'],
  ['a feed without key', 'threatfeed: {enabled: true}', '1 missing_key threatfeed.api_key'],
  ['push without login', 'threatfeed: {push: true}', '1 missing_key threatfeed.machine_id', '1 missing_key threatfeed.password'],
  ['a feed that is not a URL', 'threatfeed: {lapi_url: "localhost:8080"}', '1 bad_value threatfeed.lapi_url'],
  ['a service without upstream', 'services:\n  a: {listen: ":1"}', '2 missing_key services.a.upstream'],
  ['a service name with a capital', 'services: {Ssh: {listen: ":1", upstream: "h:2"}}', '1 bad_value services.Ssh'],
  ['a service that would be a prototype', 'services:\n  b: {listen: ":3", upstream: "h:4"}\n  __proto__: {listen: ":1", upstream: "h:2"}', '3 unknown_key services.__proto__'],
  ['a prototype in an alias', 'global: &a {"__proto__": 1}\napi: *a', '1 unknown_key global.__proto__', '1 unknown_key api.__proto__'],
  ['an unknown protocol', service('protocol: telnet'), '1 bad_value services.a.protocol'],
  ['a block of another protocol', service('protocol: ssh, tls: {}'), '1 conflict services.a.tls'],
  ['a block without protocol', service('ssh: {}'), '1 conflict services.a.ssh'],
  ['an unknown key of a block', service('protocol: tls, tls: {sni: []}'), '1 unknown_key services.a.tls.sni'],
  ['a TLS version as a number', service('protocol: tls, tls: {min_version: 1.2}'), '1 bad_value services.a.tls.min_version'],
  ['a name both allowed and denied', service('protocol: tls, tls: {allow_sni: [a.b], deny_sni: [a.b]}'), '1 conflict services.a.tls.deny_sni[0]'],
  ['a rate of nothing', service('rate_limit: {connections_per_minute: 0}'), '1 out_of_range services.a.rate_limit.connections_per_minute'],
  ['a rate without a rate', service('rate_limit: {burst: 5}'), '1 missing_key services.a.rate_limit.connections_per_minute'],
  ['two services on one port', 'services:\n  a: {listen: ":1", upstream: "h:2"}\n  b: {listen: "10.0.0.1:1", upstream: "h:2"}', '3 conflict services.b.listen'],
  ['a service on the port of the API', 'services: {a: {listen: ":9091", upstream: "h:2"}}\napi: {listen: "127.0.0.1:9091"}', '1 conflict services.a.listen'],
  ['a trap on the port of a service', `${service('')}\nport_scan: {listen: [":9", ":1"]}`, '2 conflict port_scan.listen[1]'],
  ['an announced name', passive('address: ftp.example, ports: 40000-40099'), '1 bad_value services.a.ftp.passive.address'],
  ['an announced IPv6 address, which PASV cannot express', passive('address: "2001:db8::1", ports: 40000-40099'), '1 bad_value services.a.ftp.passive.address'],
  ['no range of data ports', passive('address: 203.0.113.1'), '1 missing_key services.a.ftp.passive.ports'],
  ['a range of data ports that ends before it begins', passive('ports: 40099-40000'), '1 bad_value services.a.ftp.passive.ports'],
  ['data ports that do not exist', passive('ports: 65000-65536'), '1 bad_value services.a.ftp.passive.ports'],
  ['data ports with the port of a service', passive('ports: 1-9'), '1 conflict services.a.ftp.passive.ports'],
  ['a service that relays to itself', 'services: {a: {listen: ":22", upstream: "localhost:22"}}', '1 conflict services.a.upstream'],
  ['a service on all addresses that relays to itself', 'services: {a: {listen: "0.0.0.0:22", upstream: "127.0.0.1:22"}, b: {listen: "[::]:23", upstream: "127.0.0.1:23"}}', '1 conflict services.a.upstream', '1 conflict services.b.upstream'],
  ['a service on localhost that relays to itself', 'services: {a: {listen: "127.0.0.1:22", upstream: "localhost:22"}, b: {listen: "localhost:23", upstream: "[::1]:23"}}', '1 conflict services.a.upstream', '1 conflict services.b.upstream'],
  ['two services on one port of localhost', 'services: {a: {listen: "localhost:1", upstream: "h:2"}, b: {listen: "127.0.0.1:1", upstream: "h:2"}}', '1 conflict services.b.listen'],
  ['an empty file', '# nothing\n', '1 syntax '],
  ['a list', '- a', '1 wrong_type '],
  ['a repeated service', 'services:\n  a: {listen: ":1", upstream: "h:2"}\n  a: {listen: ":3", upstream: "h:4"}', '3 syntax services.a'],
];

describe('a daemon file', () => {
  for (const [what, text, ...problems] of refused)
    it(`is refused with ${what}`, () => assert.deepEqual(problemsOf(text), problems));

  it('has a default for everything', () => {
    const { version, global, api, threatfeed, intake, services, port_scan } = accepted('{}');
    assert.deepEqual([version, intake, services], [1, [], {}]);
    assert.deepEqual(
      [global.log_level, global.log_file, global.ban_duration],
      ['warn', '/var/log/guard/tcp-guard.jsonl', '1h'],
    );
    assert.deepEqual(global.never_ban, ['127.0.0.0/8', '::1/128']);
    assert.deepEqual(api, {
      listen: '127.0.0.1:9091',
      socket: '',
      auth_token: '',
      allowed_hosts: ['localhost', '127.0.0.1', '[::1]'],
    });
    assert.deepEqual(
      [threatfeed.enabled, threatfeed.lapi_url, threatfeed.update_frequency, threatfeed.fallback_action],
      [false, 'http://127.0.0.1:8080', '10s', 'ban'],
    );
    assert.deepEqual(port_scan, { listen: [], threshold: 3, window: '60s' });
  });

  it('fills in the defaults of a service', () => {
    const { a } = accepted(service('')).services;
    assert.deepEqual(a, {
      ...{
        enabled: true,
        listen: ':1',
        upstream: 'h:2',
        protocol: 'generic',
        max_connections: 0,
        max_connections_per_ip: 0,
      },
      ip_filter: { allow: [], deny: [] },
      geo_block: { allow_countries: [], deny_countries: [] },
      proxy_protocol: { accept_from: [], send: 'off' },
      response: { mode: 'drop', tarpit_ms: 1000 },
      timeouts: { connect: '5s', first_byte: '10s', idle: '10m', total: '0s' },
    });
  });

  it('takes the example of the package', () => {
    const text = readFileSync(join(packageRoot, 'examples/tcp-guard.yaml'), 'utf8');
    const { services } = accepted(text, {});
    assert.deepEqual(Object.keys(services), ['ssh', 'mail', 'database']);
    assert.equal(load(text).ok, true);
  });

  it('takes bans that never end, a feed with its key, and an API on a socket alone', () => {
    assert.equal(accepted('global: {ban_duration: permanent}').global.ban_duration, 'permanent');
    assert.equal(accepted('threatfeed: {enabled: true, api_key: k}').threatfeed.enabled, true);
    assert.equal(accepted('api: {listen: "", socket: /run/x}').api.listen, '');
  });

  it('lets a disabled service have the port of another', () => {
    const text =
      'services:\n  a: {listen: ":1", upstream: "h:2"}\n  b: {listen: ":1", upstream: "h:2", enabled: false}';
    assert.equal(accepted(text).services.b?.enabled, false);
  });
});

describe('the environment', () => {
  const text =
    'global: {log_level: "${LEVEL}", data_dir: "/data/${A}/${B}"}\nthreatfeed: {enabled: true, api_key: "${KEY}"}';

  it('is put in for references', () => {
    const { global, threatfeed } = accepted(text, { LEVEL: 'debug', A: 'a', B: '${KEY}', KEY: 'k' });
    assert.deepEqual([global.log_level, global.data_dir, threatfeed.api_key], ['debug', '/data/a/${KEY}', 'k']);
  });

  it('has to have what is referred to', () => {
    assert.deepEqual(problemsOf(text, { LEVEL: 'debug', A: 'a', KEY: '' }), [
      '1 bad_value global.data_dir',
      '2 bad_value threatfeed.api_key',
    ]);
  });

  const off = 'threatfeed: {lapi_url: "${URL}"}\nservices: {a: {enabled: false, listen: "${L}", upstream: "h:2"}}';

  it('may lack what only a section that is off refers to', () => {
    assert.equal(accepted(off, {}).services.a?.enabled, false);
    assert.deepEqual(problemsOf(`${off.replace('{l', '{enabled: true, api_key: k, l').replace('false', 'true')}`, {}), [
      '1 bad_value threatfeed.lapi_url',
      '2 bad_value services.a.listen',
    ]);
  });

  it('is checked like the file', () => {
    assert.deepEqual(problemsOf(text, { LEVEL: 'loud', A: 'a', B: 'b', KEY: 'k' }), ['1 bad_value global.log_level']);
  });

  it('is not asked for where there is none: references stay, and defaults are filled in', () => {
    const { global, threatfeed } = accepted(text);
    assert.deepEqual([global.log_level, global.data_dir, global.workers], ['${LEVEL}', '/data/${A}/${B}', 1]);
    assert.deepEqual([threatfeed.api_key, threatfeed.update_frequency], ['${KEY}', '10s']);
  });

  it('leaves other problems standing', () => {
    assert.deepEqual(problemsOf(`${text}\napi: {listen: "${'${LISTEN}'}", socket: 3}`), ['3 wrong_type api.socket']);
  });

  it('overrides three keys of the file', () => {
    const environment = { GUARD_LOG_LEVEL: 'off', GUARD_API_LISTEN: '[::1]:1', GUARD_API_SOCKET: '/run/s' };
    const { global, api } = accepted('global: {log_level: debug}', environment);
    assert.deepEqual([global.log_level, api.listen, api.socket], ['off', '[::1]:1', '/run/s']);
  });

  it('names the variable when its value is wrong', () => {
    const loaded = load('{}', { GUARD_LOG_LEVEL: 'warm', GUARD_API_LISTEN: '9091' });
    assert.ok(!loaded.ok);
    assert.deepEqual(
      loaded.problems.map(({ path, line, message, hint }) => [path, line, message, hint]),
      [
        ['GUARD_LOG_LEVEL', 0, 'expected one of debug, info, warn, error, off, found "warm"', 'did you mean "warn"?'],
        [
          'GUARD_API_LISTEN',
          0,
          'expected a listen address such as ":2222", "127.0.0.1:2222" or "[::1]:2222", found "9091"',
          undefined,
        ],
      ],
    );
  });
});

describe('bans.kernel', () => {
  it('says what replaces a value that was removed, and what a typo is near to', () => {
    const hintOf = (value: string) => {
      const loaded = load(`bans: {kernel: ${value}}`);
      assert.ok(!loaded.ok);
      return loaded.problems.map(({ hint }) => hint);
    };
    assert.deepEqual(hintOf('nft'), ['it is called nftables now']);
    assert.deepEqual(hintOf('atuo'), ['did you mean "auto"?']);
  });
});

it('suggests what a number in place of a text means', () => {
  const hintOf = (source: string) => {
    const loaded = load(source);
    assert.ok(!loaded.ok);
    return loaded.problems.map(({ hint }) => hint);
  };
  assert.deepEqual(hintOf('global: {failure_window: 60}'), ['write "60s", in quotes']);
  assert.deepEqual(hintOf('services: {a: {listen: 2222, upstream: "h:22"}}'), ['write ":2222", in quotes']);
  assert.deepEqual(hintOf('global: {log_file: 7}'), ['write "7", in quotes']);
  assert.deepEqual(hintOf('global: {never_ban: [7]}'), [undefined]);
});

describe('names of members of every object', () => {
  it('are neither variables nor sections that can be off', () => {
    const named = 'global: {data_dir: "${constructor}"}\napi: {socket: "${toString}"}';
    assert.deepEqual(problemsOf(named, { ...process.env }), ['1 bad_value global.data_dir', '2 bad_value api.socket']);
    assert.deepEqual(problemsOf('constructor: "${A}"', {}), ['1 bad_value constructor']);
  });

  it('make no prototype of a section that is off', () => {
    assert.deepEqual(problemsOf('threatfeed: {__proto__: "${A}"}', { A: 'a' }), ['1 unknown_key threatfeed.__proto__']);
    assert.deepEqual(problemsOf('services: {a: {enabled: false, __proto__: "${A}"}}'), [
      '1 missing_key services.a.listen',
      '1 missing_key services.a.upstream',
      '1 unknown_key services.a.__proto__',
    ]);
  });
});

describe('a reference', () => {
  for (const text of ['"${A}"', 'services: "${A}"', 'services: {a: "${A}"}', 'global: "${A}"', 'port_scan: "${A}"'])
    it(`refuses a section that is not a mapping: ${text}`, () => assert.match(problemsOf(text).join(), /wrong_type/));
});

describe('messages about a daemon file', () => {
  it('have no control character of it', () => {
    const loaded = load('services: {a: {listen: ":1", upstream: "h:3", protocol: "tl\\0s", tls: {}}}');
    assert.ok(!loaded.ok);
    const said = loaded.problems.map(({ message }) => message).join('; ');
    assert.match(said, /found "tl\\u\{0000\}s"$/);
  });

  it('do not repeat a token that is wrong', () => {
    const loaded = load('api: {auth_token: "${TOKEN}"}', { TOKEN: 'hunter2' });
    assert.ok(!loaded.ok);
    const said = loaded.problems.map(({ message }) => message).join('; ');
    assert.equal(said, 'expected 16 or more printable characters without spaces, found others');
  });
});

const hints: readonly (readonly [mistake: string, text: string, hint: RegExp])[] = [
  ['keys at the indent of their name', 'services:\n  ssh:\n  listen: ":2222"\n', /^indent its keys by more blanks/],
  ['an entry whose second key is less indented', 'intake:\n  - file: /a\n   format: sshd\n', /^indent the keys of one/],
  ['a key without a colon', 'services:\n  ssh:\n    listen ":2222"\n    upstream: a:1\n', /^write a colon and a blank/],
  ['services as a list', 'services:\n- ssh: {listen: ":2222"}\n', /^write keys, without a dash/],
  ['maxretry of fail2ban', 'maxretry: 5\n', /^did you mean "global.ban_after_failures"\?$/],
  ['findtime in global', 'global: {findtime: 10m}\n', /"failure_window"\?$/],
  ['bantime of a service', service('bantime: 1h'), /"ban_duration"\?$/],
  ['ignoreip of a jail', 'sshd: {}\nignoreip: [192.0.2.1]\n', /"global.never_ban"\?$/],
  ['maxretry of a source', 'intake: [{file: /a, format: sshd, maxretry: 5}]', /"after"\?$/],
  ['logpath of a source', 'intake: [{logpath: /a, format: sshd}]', /"file"\?$/],
  ['a time in words', 'global: {ban_duration: 1 hour}', /^write 1h$/],
  ['the protocol https', service('protocol: https'), /"tls"\?$/],
  ['the log of Caddy', 'intake: [{file: /a, format: caddy, policy: /p}]', /"access"\?$/],
  ['a firewall for a scope', 'bans: {scope: iptables}', /"host"\?$/],
  ['a compose file', 'services:\n  web:\n    image: caddy\n', /^this is a compose file: /],
  ['a policy', '{"methods": ["GET"]}', /^this is a key of a policy: guardcli validate/],
];

for (const [mistake, text, expected] of hints)
  it(`says what to do about ${mistake}`, () => {
    const result = loadDaemon(new TextEncoder().encode(text), 'tcp-guard.yaml', {});
    const hints = result.ok ? [] : result.problems.map(({ hint }) => hint ?? '');
    assert.ok(
      hints.some((hint) => expected.test(hint)),
      hints.join('\n'),
    );
  });
