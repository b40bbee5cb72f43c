/** Results of the models for hosts, versions of HTTP and headers. The real proxies gave the expected results. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as caddy from './caddy.ts';
import { modelOf } from './nginx.ts';
import { type HttpVersion, type Receives, resetStatus } from './received.ts';
import * as traefik from './traefik.ts';

const models = {
  caddy,
  traefik,
  'nginx 1.22': modelOf('1.22'),
  'nginx 1.26': modelOf('1.26'),
  'nginx 1.30': modelOf('1.30'),
} as const;
type Name = keyof typeof models;
const names = Object.keys(models) as Name[];
const nginx = names.filter((name) => name.startsWith('nginx'));
const go: readonly Name[] = ['caddy', 'traefik'];

interface Sent {
  readonly hosts?: readonly string[];
  readonly version?: HttpVersion;
  readonly target?: string;
}

/** Returns the host that the guard reads, or the status of a refusal. */
function hostFor(receives: Receives, { hosts = ['a'], version = '1.1', target = '/' }: Sent): string | number {
  const headers = hosts.map((host): [string, string] => ['Host', host]);
  const received = receives({ method: 'GET', target, version, headers });
  return received.kind === 'passed' ? received.host : received.status;
}

type Row = readonly [what: string, sent: Sent, expected: string | number, on: readonly Name[]];

const rows: readonly Row[] = [
  ['a final dot stays', { hosts: ['a.'] }, 'a.', names],
  ['a port and case stay', { hosts: ['A:80'] }, 'A:80', names],
  ['an IPv6 address', { hosts: ['[::1]:80'] }, '[::1]:80', names],
  ['no host', { hosts: [] }, 400, names],
  ['no host in HTTP/1.0', { hosts: [], version: '1.0' }, '', names],
  ['two hosts', { hosts: ['a', 'a'] }, 400, names],
  ['an empty host', { hosts: [''] }, 400, ['caddy', ...nginx]],
  ['an empty host', { hosts: [''] }, '', ['traefik']],
  ['an empty host in HTTP/1.0', { hosts: [''], version: '1.0' }, '', go],
  ['NUL over HTTP/2 with a wrong host', { target: '/\0', hosts: ['a..'], version: '2' }, 400, nginx],
  ['a slash', { hosts: ['a/b'] }, 400, names],
  ['two dots', { hosts: ['a..b'] }, 400, nginx],
  ['two dots', { hosts: ['a..b'] }, 'a..b', go],
  ['dots alone', { hosts: ['..'] }, 400, ['caddy', ...nginx]],
  ['dots alone', { hosts: ['..'] }, '..', ['traefik']],
  ['two ports', { hosts: ['a:1:2'] }, 'a:1:2', ['nginx 1.22', 'nginx 1.26', ...go]],
  ['two ports', { hosts: ['a:1:2'] }, 400, ['nginx 1.30']],
  ['a port that is too large', { hosts: ['a:65536'] }, 400, ['nginx 1.30']],
  ['a byte above 7F', { hosts: ['\xc3\xa9'] }, 400, ['nginx 1.30', ...go]],
  ['a byte above 7F', { hosts: ['\xc3\xa9'] }, '\xc3\xa9', ['nginx 1.22', 'nginx 1.26']],
  ['the host of an absolute target counts', { target: 'http://b:8/x' }, 'b:8', go],
  ['the host of an absolute target and another one', { target: 'http://b:8/x' }, 'b:8 a', nginx],
  ['the same name in an absolute target', { target: 'http://A.:8/x' }, 'A.:8', names],
  ['the same address in an absolute target', { target: 'http://[::1]/x', hosts: ['[::1]'] }, '[::1]', names],
  ['another address in an absolute target', { target: 'http://[::1]/x', hosts: ['[::2]'] }, '[::1] [::2]', nginx],
  ['an absolute target in HTTP/1.0', { target: 'http://b/x', hosts: [], version: '1.0' }, 'b', go],
  ['an absolute target in HTTP/1.0', { target: 'http://b/x', hosts: [], version: '1.0' }, 'b ', nginx],
  ['an absolute target over HTTP/2', { target: 'http://b/x', version: '2' }, resetStatus, ['caddy']],
  ['an absolute target over HTTP/2', { target: 'http://b/x', version: '2' }, 'a', ['traefik']],
  ['an absolute target over HTTP/2', { target: 'http://b/x', version: '2' }, 400, nginx],
  ['a space over HTTP/2', { target: '/a b', version: '2' }, 'a', go],
  ['a space over HTTP/2', { target: '/a b', version: '2' }, 400, nginx],
  ['user information over HTTP/2', { hosts: ['x@a'], version: '2' }, resetStatus, go],
  ['user information over HTTP/3', { hosts: ['x@a'], version: '3' }, resetStatus, ['caddy']],
  ['user information over HTTP/3', { hosts: ['x@a'], version: '3' }, 'x@a', ['traefik']],
  ['NUL over HTTP/2', { target: '/\0', version: '2' }, resetStatus, ['nginx 1.22', ...go]],
  ['NUL over HTTP/2', { target: '/\0', version: '2' }, 400, ['nginx 1.26', 'nginx 1.30']],
];

describe('the host and the version of a request', () => {
  for (const [what, sent, expected, on] of rows)
    for (const name of on)
      it(`${name}: ${what}: ${JSON.stringify(sent)}`, () =>
        assert.equal(hostFor(models[name].receives, sent), expected));
});

describe('a long head', () => {
  const sent = { method: 'GET', target: 'x', headers: [['A', 'a'.repeat(1024 * 1024)]] as [string, string][] };
  it('is refused over HTTP/3 before the path is read, and over HTTP/2 after that', () => {
    for (const { receives } of [caddy, traefik])
      assert.deepEqual(receives({ ...sent, version: '3' }), { kind: 'refused', status: 431 });
    assert.deepEqual(caddy.receives({ ...sent, version: '2' }), { kind: 'refused', status: resetStatus });
  });
});

describe('the headers of a request', () => {
  const headers: [string, string][] = [
    ['X-A', '1'],
    ['Host', 'a'],
    ['x-a', '2'],
    ['X_B', '3'],
    ['X-Forwarded-For', '192.0.2.1'],
    ['X-A', '1'],
  ];
  const seen = (name: Name, isPeerTrusted?: boolean) => {
    const trust = isPeerTrusted === undefined ? {} : { isPeerTrusted };
    const received = models[name].receives({ method: 'GET', target: '/', version: '1.1', headers, ...trust });
    return received.kind === 'passed' ? received.headers.map(([key, value]) => `${key}:${value}`).join(' ') : '';
  };

  it('keep their order and number', () => {
    for (const name of ['caddy', ...nginx] as const)
      assert.equal(seen(name as Name), 'X-A:1 x-a:2 X-Forwarded-For:192.0.2.1 X-A:1', name);
    assert.equal(seen('traefik'), 'X-A:1 x-a:2 X_B:3 X-Forwarded-For:192.0.2.1 X-A:1');
  });

  it('are those of the peer in Traefik only where it is trusted', () =>
    assert.equal(seen('traefik', false), 'X-A:1 x-a:2 X_B:3 X-A:1'));
});

type UpgradeRow = readonly [
  what: string,
  headers: readonly (readonly [string, string])[],
  expected: string,
  on: readonly Name[],
];

const upgradeRows: readonly UpgradeRow[] = [
  [
    'a WebSocket',
    [
      ['Connection', 'keep-alive, Upgrade'],
      ['Upgrade', 'websocket'],
    ],
    'websocket',
    names,
  ],
  ['no option', [['Upgrade', 'websocket']], '', go],
  ['no option', [['Upgrade', 'websocket']], 'websocket', nginx],
  [
    'case',
    [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'H2C'],
    ],
    'h2c',
    ['caddy'],
  ],
  [
    'case',
    [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'H2C'],
    ],
    'H2C',
    ['traefik', ...nginx],
  ],
  [
    'two lines',
    [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'tcp'],
      ['Upgrade', 'h2c'],
    ],
    'tcp',
    [...go, 'nginx 1.22'],
  ],
  [
    'two lines',
    [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'tcp'],
      ['Upgrade', 'h2c'],
    ],
    'tcp, h2c',
    ['nginx 1.26', 'nginx 1.30'],
  ],
];

describe('the upgrade that a backend receives without a guard', () => {
  for (const [what, headers, expected, on] of upgradeRows)
    for (const name of on)
      it(`of ${what} behind ${name}`, () => {
        const { receives, sentUpgrade } = models[name];
        const received = receives({ method: 'GET', target: '/', version: '1.1', headers: [['Host', 'a'], ...headers] });
        assert.equal(received.kind === 'passed' && sentUpgrade(received.headers), expected);
      });

  it('keeps of the headers that Connection names none in Traefik', () => {
    const headers: [string, string][] = [
      ['Host', 'a'],
      ['Connection', 'X-A, B'],
      ['X-A', '1'],
      ['B', '2'],
      ['C', '3'],
    ];
    const received = traefik.receives({ method: 'GET', target: '/', version: '1.1', headers });
    assert.deepEqual(received.kind === 'passed' && received.headers, [['C', '3']]);
  });
});
