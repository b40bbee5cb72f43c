import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy } from '../../contract/load/index.ts';
import { type AccessFinding, accessReader } from './reader.ts';

const [client, forged] = ['198.51.100.7', '192.0.2.66'];

function find(lines: readonly string[], member?: string, text = '{}'): (AccessFinding | undefined)[] {
  const policy = loadPolicy(Buffer.from(text), 'guard.json');
  assert.ok(policy.ok);
  return lines.map(accessReader({ policy: policy.value, member, statuses: new Set() }));
}

const rest = '- - [29/Nov/2026:17:08:19 +0000] "GET /.env HTTP/1.1" 404 12 "-" "-"';

describe('the client of a blocked request', () => {
  it('is the first word of a line in the format combined, or the second one after a host', () => {
    const blocked = { kind: 'blocked', address: client };
    assert.deepEqual(find([`${client} ${rest}`, `shop.example:443 ${client} ${rest}`]), [blocked, blocked]);
  });

  it('is unknown where the client can have written one of two addresses', () => {
    for (const [first, second] of [
      [forged, client],
      [client, forged],
      ['2001:db8::66', client],
    ])
      assert.deepEqual(find([`${first} ${second} ${rest}`]), [undefined], `${first} ${second}`);
  });

  it('is found after an allowed request with the same target', () => {
    const request = (host: string, method: string, agent: string) =>
      JSON.stringify({
        logger: 'http.log.access',
        request: { remote_ip: client, method, host, uri: '/a.sql', headers: { 'User-Agent': [agent] } },
        status: 404,
      });
    const exceptions = '{"exceptions": [{"rules": ["sql-file"], "path": "^/a", "hosts": ["a.example"]}]}';
    const agents =
      '{"rules": [{"id": "agent", "action": "block", "pattern": "scan", "targets": ["header:user-agent"]}], "exceptions": [{"rules": ["sql-file"], "path": "^/a"}]}';
    for (const [policy, allowed, blocked] of [
      ['{}', request('a.example', 'POST', ''), request('a.example', 'GET', '')],
      [exceptions, request('a.example', 'GET', ''), request('b.example', 'GET', '')],
      [agents, request('a.example', 'GET', 'curl'), request('a.example', 'GET', 'scan')],
    ] as const)
      assert.deepEqual(
        find([allowed, allowed, blocked, allowed], undefined, policy).map((found) => found?.kind),
        [undefined, undefined, 'blocked', undefined],
        policy,
      );
  });
});

describe('the client of a blocked request in JSON', () => {
  it('is a member that the line has once', () => {
    const line = (agent: string, target = '/.env') =>
      `{"request":"GET ${target} HTTP/1.1","remote_addr": "${client}","status":"404","agent":"${agent}"}`;
    const blocked = { kind: 'blocked', address: client };
    for (const agent of [
      'curl',
      `\\",\\"remote_addr\\":\\"${forged}`,
      'remote_addr',
      `\\u0022remote_addr\\u0022:\\u0022${forged}`,
    ])
      assert.deepEqual(find([line(agent)], 'remote_addr'), [blocked], agent);
    for (const written of [
      line(`","remote_addr":"${forged}`),
      line(`","remote\\u005faddr":"${forged}`),
      line(`"},"x":"`, `/.env HTTP/1.1","remote_addr":"${forged}","x":{"y":"`),
      line(`"},"x":"`, `/.env HTTP/1.1","remote\\u005faddr":"${forged}","x":{"y":"`),
    ]) {
      assert.doesNotThrow(() => JSON.parse(written));
      assert.deepEqual(find([written], 'remote_addr'), [undefined], written);
    }
  });

  it('is that member also where a client wrote those of Traefik or Caddy', () => {
    const line = (agent: string) =>
      `{"request":"GET /.env HTTP/1.1","remote_addr":"${client}","status":404,"agent":"${agent}"}`;
    const blocked = { kind: 'blocked', address: client };
    for (const [members, found] of [
      [`"RequestMethod":"GET","RequestPath":"/.env","ClientAddr":"${forged}:1`, blocked],
      [`"request":{"method":"GET","uri":"/.env","remote_ip":"${forged}"},"b":"`, undefined],
    ] as const) {
      const written = line(`x",${members}`);
      assert.doesNotThrow(() => JSON.parse(written));
      assert.deepEqual(find([written, line('curl')], 'remote_addr'), [found, blocked], 'the next line too');
      assert.deepEqual(find([written]), [undefined], 'without the name of the member');
    }
  });
});
