import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DaemonFile } from '../daemon/schema.ts';
import { builtInRules } from '../policy/builtin-rules.ts';
import type { PolicyFile } from '../policy/schema.ts';
import { loadDaemon, loadPolicy } from './index.ts';
import { warningKinds } from './warnings/kinds.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value, undefined, 1));

type Found = string[];

function warningsOf(loaded: ReturnType<typeof loadPolicy> | ReturnType<typeof loadDaemon>): Found {
  assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
  for (const { line, column, message } of loaded.warnings) assert.ok(line > 0 && column > 0 && message !== '');
  return loaded.warnings.map(({ kind, path }) => `${kind} ${path}`);
}

const ofPolicy = (file: PolicyFile) => warningsOf(loadPolicy(bytes({ methods: ['*'], ...file }), 'guard.json'));
const ofDaemon = (file: DaemonFile) => {
  const services = { a: { listen: ':1', upstream: 'h:2' } };
  return warningsOf(loadDaemon(bytes({ services, ...file }), 'tcp-guard.yaml'));
};

const rule = { id: 'own', action: 'allow' as const, pattern: '^', targets: ['query' as const] };

const ofBody = { id: 'own', action: 'block' as const, pattern: '^attack$' };
const blockIds = builtInRules
  .filter(({ action, size }) => action === 'block' && size !== 'extended')
  .map(({ id }) => id);
const unread = (path: string): string => `no_effect ${path}`;

const policies: [string, PolicyFile, ...string[]][] = [
  ['a plain policy', { blockPatterns: ['^/x'], allowPatterns: ['^/y/'] }],
  ['events in a folder of a shell', { securityLogFile: '~/guard.jsonl' }, 'home_folder securityLogFile'],
  ['a guard that is off', { enabled: false }, 'disabled enabled'],
  ['a guard that only reports', { mode: 'detect' }, 'detect mode'],
  ['a pattern for every path', { blockPatterns: ['^/'] }, 'matches_everything blockPatterns[0]'],
  ['a pattern for the empty text', { allowPatterns: ['x*'] }, 'matches_everything allowPatterns[0]'],
  ['a rule for every query', { checkQuery: true, rules: [rule] }, 'matches_everything rules[0].pattern'],
  ['a pattern for the start page', { blockPatterns: ['^/$'] }],
  ['a pattern for one kind of path', { blockPatterns: ['^/[a-z]'] }],
  [
    'an exception for every path',
    { exceptions: [{ rules: ['env-file'], path: '^/' }] },
    'matches_everything exceptions[0].path',
  ],
  ['an application for every host', { applications: ['gitea'] }],
  [
    'an application for every host beside one with a host',
    { applications: ['gitea', { name: 'nextcloud', hosts: ['a.b'] }] },
    'every_host applications[0]',
  ],
  [
    'an application without built-in rules',
    { enableDefaultPatterns: false, blockPatterns: ['x1'], applications: ['gitea'] },
    'no_effect applications',
  ],
  ['an exception for every path of a host', { exceptions: [{ rules: ['env-file'], path: '^/', hosts: ['a.b'] }] }],
  [
    'patterns that nginx refuses',
    { blockPatterns: ['(?:a+)+$'], exceptions: [{ rules: ['env-file'], path: '(?:x|xy|y)*z' }] },
    'backtracking blockPatterns[0]',
    'backtracking exceptions[0].path',
  ],
  [
    'a glob for an exception',
    { exceptions: [{ rules: ['sql-file'], path: '/downloads/*.sql' }] },
    'glob exceptions[0].path',
  ],
  [
    'globs for rules',
    { blockPatterns: ['/old/file*'], rules: [{ id: 'own', action: 'block', pattern: '/a/*/b?.php' }] },
    'glob blockPatterns[0]',
    'glob rules[0].pattern',
  ],
  ['regular expressions that repeat', { blockPatterns: ['/old/.*', '^/a/*b', '/a/[^/]*\\.sql', '/a+b*', 'x*y'] }],
  ['a pattern twice', { blockPatterns: ['^/x', '^/x'] }, 'shadowed blockPatterns[1]'],
  ['a pattern blocked and allowed', { blockPatterns: ['^/x'], allowPatterns: ['^/x'] }, 'shadowed blockPatterns[0]'],
  ['a rule wider than its twin', { checkQuery: true, rules: [{ ...rule, pattern: '^/x' }], blockPatterns: ['^/x'] }],
  ['an allow rule over a built-in one', { allowPatterns: ['\\.env'] }, 'shadowed allowPatterns[0]'],
  [
    'an allow rule over a set that is off',
    { allowPatterns: ['\\.env'], enableDefaultPatterns: false },
    'no_block_rules enableDefaultPatterns',
  ],
  ['every client allowed', { allowedIps: ['10.0.0.0/8', '0.0.0.0/0'] }, 'everyone allowedIps[1]'],
  ['every peer trusted', { trustedProxies: ['::/0'] }, 'everyone trustedProxies[0]'],
  [
    'an exception for every client',
    { exceptions: [{ rules: ['env-file'], path: '^/a', clients: ['192.0.2.1', '0.0.0.0/0'] }] },
    'everyone exceptions[0].clients[1]',
  ],
  ['every path of some clients', { exceptions: [{ rules: ['env-file'], path: '/', clients: ['private'] }] }],
  [
    'a disabled rule of a set that is off',
    { enableDefaultPatterns: false, blockPatterns: ['^/x'], disabledRules: ['env-file', 'allow-well-known'] },
    'no_effect disabledRules[0]',
  ],
  [
    'an exception for a disabled rule',
    { disabledRules: ['env-file'], exceptions: [{ rules: ['env-file'], path: '^/x' }] },
    'no_effect exceptions[0].rules[0]',
  ],
  ['a body bound without inspection', { maxBodyBytes: 10 }, 'no_effect maxBodyBytes'],
  ['an event file without events', { securityLog: false, securityLogFile: 'x' }, 'no_effect securityLogFile'],
  ['bodies of GET', { methods: ['get', 'HEAD'], checkBody: true, bodyOverflow: 'pass' }, 'no_effect checkBody'],
  ['bodies of POST', { methods: ['post'], checkBody: true, bodyOverflow: 'pass' }],
  ['bodies of which a part may pass', { checkBody: true }, 'body_overflow bodyOverflow'],
  ['bodies that are blocked', { checkBody: true, bodyOverflow: 'block' }],
  ['an overflow without inspection', { bodyOverflow: 'block' }, 'no_effect bodyOverflow'],
  [
    'options of another mode',
    { response: { mode: 'json', redirectUrl: '/x', gzipBombMb: 1, headers: {} } },
    'no_effect response.redirectUrl',
    'no_effect response.gzipBombMb',
  ],
  [
    'a captcha that is not verified',
    { response: { mode: 'captcha', captcha: { provider: 'hcaptcha', siteKey: 'k' } } },
    'challenge_only response.captcha',
  ],
  [
    'a captcha without a shared key',
    { response: { mode: 'captcha', captcha: { provider: 'hcaptcha', siteKey: 'k', secretKey: 's' } } },
    'process_secret response.mode',
  ],
  [
    'a captcha with everything',
    { secret: '${S}', response: { mode: 'captcha', captcha: { provider: 'hcaptcha', siteKey: 'k', secretKey: 's' } } },
  ],
  [
    'a captcha verified in clear',
    {
      secret: '${S}',
      response: {
        mode: 'captcha',
        captcha: { provider: 'hcaptcha', siteKey: 'k', secretKey: 's', verifyUrl: 'http://10.0.0.1/v' },
      },
    },
    'clear_text response.captcha.verifyUrl',
  ],
  [
    'a captcha verified on this machine',
    {
      secret: '${S}',
      response: {
        mode: 'captcha',
        captcha: { provider: 'hcaptcha', siteKey: 'k', secretKey: 's', verifyUrl: 'http://[::1]:8080/v' },
      },
    },
  ],
  ['a misspelled method', { methods: ['GET', 'psot'] }, 'unknown_method methods[1]'],
  ['methods without the usual ones', { methods: ['PUT', 'propfind'] }, 'unusual_methods methods'],
  ['a usual method in lower case', { methods: ['head'] }],
  ['a method beside all methods', { methods: ['*', 'PUT'] }, 'no_effect methods[1]'],
  ['built-in rules that are off', { enableDefaultPatterns: false }, 'no_block_rules enableDefaultPatterns'],
  ['built-in rules that are disabled', { disabledRules: blockIds }, 'no_block_rules disabledRules'],
  ['custom rules alone', { enableDefaultPatterns: false, blockPatterns: ['^/x'] }],
  [
    'more rules of a set that is off',
    { enableDefaultPatterns: false, blockPatterns: ['^/x'], builtinRules: 'extended' },
    'no_effect builtinRules',
  ],
  [
    'a rule for bodies that are not inspected',
    { rules: [{ ...ofBody, targets: ['body'] }] },
    'no_effect rules[0].targets',
  ],
  ['a rule for cookies', { checkHeaders: ['Cookie'], rules: [{ ...ofBody, targets: ['query'] }] }],
  ['a rule for a header', { rules: [{ ...ofBody, targets: ['header:user-agent', 'body'] }] }],
  [
    'a rule for a header that matches every line',
    { rules: [{ ...ofBody, pattern: '^', targets: ['header:X-A'] }] },
    'matches_everything rules[0].pattern',
  ],
  ['a rule of which a part applies', { rules: [{ ...ofBody, targets: ['body', 'path'] }] }],
  [
    'entries twice',
    {
      methods: ['get', 'GET'],
      checkHeaders: ['X-A', 'x_a'],
      allowedIps: ['10.0.0.1', '10.0.0.1'],
      trustedProxies: ['10.0.0.2', '10.0.0.2'],
      disabledRules: ['env-file', 'env-file'],
      exceptions: [{ rules: ['sql-file', 'sql-file'], path: '^/x', clients: ['private', 'private'] }],
    },
    ...['methods[1]', 'checkHeaders[1]', 'allowedIps[1]', 'trustedProxies[1]', 'disabledRules[1]'].map(unread),
    ...['exceptions[0].rules[1]', 'exceptions[0].clients[1]'].map(unread),
  ],
  ['a secret that nothing reads', { secret: '${S}' }, 'no_effect secret'],
  ['the seed of decoys', { secret: '${S}', response: { mode: 'fake_success' } }],
  [
    'options of a verification that does not happen',
    {
      secret: '${S}',
      response: {
        mode: 'captcha',
        captcha: { provider: 'hcaptcha', siteKey: 'k', passMinutes: 5, hostnames: ['a.b'] },
      },
    },
    'no_effect secret',
    'challenge_only response.captcha',
    ...['response.captcha.passMinutes', 'response.captcha.hostnames'].map(unread),
  ],
  [
    'headers of no response',
    { response: { mode: 'silent_drop', headers: { 'X-A': 'b' } } },
    'abrupt_close response.mode',
    'no_effect response.headers',
  ],
  ['networks of a preset', { trustedProxies: ['cloudflare', '192.0.2.1'], allowedIps: ['private'] }],
  ['every host of the own network', { trustedProxies: ['cloudflare', 'private'] }, 'private_proxies trustedProxies[1]'],
  ['a dropped connection', { response: { mode: 'silent_drop' } }, 'abrupt_close response.mode'],
  [
    'a dropped connection behind an edge',
    { trustedProxies: ['10.0.0.1'], response: { mode: 'silent_drop' } },
    'abrupt_close response.mode',
    'abrupt_close response.mode',
  ],
];

const ssh = { listen: ':1', upstream: 'h:2', protocol: 'ssh' } as const;

/** A daemon file, and its expected warnings. */
// biome-ignore format: one case a line
const daemons: [string, DaemonFile, ...string[]][] = [
  ['a plain file', {}],
  ['no services', { services: {} }, 'no_services services'],
  ['the log of a server without its format', { intake: [{ unit: 'ssh.service' }] }, 'no_format intake[0]'],
  ['an access log without its format', { intake: [{ file: '/var/log/caddy/access.log' }] }, 'no_format intake[0]'],
  ['events of a guard', { intake: [{ unit: 'caddy.service' }, { file: '/var/log/caddy/guard.jsonl' }] }],
  ['logs alone, whose bans hold nowhere', { services: {}, intake: [{ file: '/a', format: 'sshd' }] }, 'idle_bans bans.scope'],
  ['logs alone, with bans on the host', { services: {}, bans: { scope: 'host' }, intake: [{ file: '/a', format: 'sshd' }] }],
  ['logs alone, with bans for proxies', { services: {}, bans: { publish: '/b' }, intake: [{ file: '/a', format: 'sshd' }] }],
  ['a trap alone', { services: {}, port_scan: { listen: [':1'] } }],
  ['everybody exempt', { global: { never_ban: ['0.0.0.0/0'] } }, 'everyone global.never_ban[0]'],
  ['everybody refused', { global: { ip_filter: { deny: ['::/0'] } } }, 'everyone global.ip_filter.deny[0]'],
  ['any source believed', { services: { a: { ...ssh, proxy_protocol: { accept_from: ['0.0.0.0/0'] } } } }, 'everyone services.a.proxy_protocol.accept_from[0]'],
  ['every host of the own network as a proxy', { services: { a: { ...ssh, proxy_protocol: { accept_from: ['cloudflare', 'private'] } } } }, 'private_proxies services.a.proxy_protocol.accept_from[1]'],
  ['an address that a network denies', { global: { ip_filter: { allow: ['10.0.0.1', '11.0.0.1', '::1'], deny: ['10.0.0.0/8'] } } }, 'shadowed global.ip_filter.allow[0]'],
  ['defaults that are not used', { threatfeed: { push: false, throttle: { connections_per_minute: 6 } }, services: { a: { ...ssh, response: { tarpit_ms: 1000 } } } }],
  ['a throttle that is not used', { threatfeed: { throttle: { connections_per_minute: 1 } } }, 'no_effect threatfeed.throttle'],
  ['pushes of a feed that is off', { threatfeed: { push: true, machine_id: 'a', password: 'b' } }, 'no_effect threatfeed.push'],
  ['a tarpit that is not used', { services: { a: { ...ssh, response: { tarpit_ms: 10 } } } }, 'no_effect services.a.response.tarpit_ms'],
  ['a name of an older version', { bans: { kernel: 'bpf' }, services: { a: ssh } }, 'replaced bans.kernel'],
  ['FTP, whose data connections take another way', { services: { a: { ...ssh, protocol: 'ftp' } } }, 'passive_ftp services.a.protocol'],
  ['FTP, whose data connections are relayed', { services: { a: { ...ssh, protocol: 'ftp', ftp: { passive: { ports: '40000-40009' } } } } }],
  ['bans on a guess', { services: { a: { ...ssh, ssh: { ban_on_probable: true } } } }, 'probable_bans services.a.ssh.ban_on_probable'],
  ['a key in clear', { threatfeed: { enabled: true, api_key: 'k', lapi_url: 'http://10.0.0.1:8080' } }, 'clear_text threatfeed.lapi_url'],
  ['a key to this machine', { threatfeed: { enabled: true, api_key: 'k', lapi_url: 'http://[::1]:8080' } }],
];

describe('warnings of a policy', () => {
  for (const [what, file, ...expected] of policies) it(what, () => assert.deepEqual(ofPolicy(file), expected));

  it('a file that names no methods', () => {
    assert.deepEqual(warningsOf(loadPolicy(bytes({}), 'x')), ['get_only methods']);
  });

  it('a misspelled method, with the one that was meant', () => {
    const loaded = loadPolicy(bytes({ methods: ['GTE'] }), 'x');
    const found = loaded.ok ? loaded.warnings.map(({ kind, hint }) => [kind, hint?.slice(0, 19)]) : [];
    assert.deepEqual(found, [
      ['unusual_methods', 'list the methods th'],
      ['unknown_method', 'did you mean "GET"?'],
    ]);
  });
});

describe('warnings of a daemon file', () => {
  for (const [what, file, ...expected] of daemons) it(what, () => assert.deepEqual(ofDaemon(file), expected));
});

it('has a case for every kind of warning', () => {
  const listed = [...policies, ...daemons].flatMap(([, , ...expected]) => expected);
  // Elsewhere: blocked_redirect needs a verdict, ban_list a file (cli/validate/bans.test.ts), old_preset a clock.
  const elsewhere = ['get_only', 'blocked_redirect', 'ban_list', 'old_preset'];
  const kinds = new Set([...listed, ...elsewhere].map((text) => text.split(' ')[0]));
  assert.deepEqual([...kinds].sort(), [...warningKinds].sort());
});
