import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy } from '../../contract/load/index.ts';
import { type AccessFinding, accessReader } from './reader.ts';

const [client, forged] = ['198.51.100.7', '192.0.2.66'];

function find(lines: readonly string[], member?: string): (AccessFinding | undefined)[] {
  const policy = loadPolicy(Buffer.from('{}'), 'guard.json');
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

  it('is a member of a line in JSON that the line has once', () => {
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
});
