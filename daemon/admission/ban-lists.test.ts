/** The ban list in the policy of an http service. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { rangeLines } from '../../contract/policy/ban-list.ts';
import { limits } from '../../contract/policy/limits.ts';
import { type Address, parseAddress } from '../../contract/values/address.ts';
import { banListFile } from '../../engine/ban-list-file.ts';
import { until } from '../../platform/testing/until.ts';
import { configuration, guardedService, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { openBans } from './ban-lists.ts';
import { policyReader, readPolicies } from './policies.ts';

const mapped = 0xffffn << 32n;
const addressOf = (ip: string) => parseAddress(ip) as Address;
const now = () => Math.floor(Date.now() / 1000);

function listOf(ip: string, written = now()): Buffer {
  const start = mapped | addressOf(ip).value;
  return banListFile([rangeLines({ start, end: start, until: now() + 3600 })], written);
}

function replace(path: string, file: Buffer | string): void {
  writeFileSync(`${path}.new`, file);
  renameSync(`${path}.new`, path);
}

const policyOf = (file: string) => ({ banList: { file }, trustedProxies: ['127.0.0.0/8'] });
const requestOf = (ip: string) => `GET / HTTP/1.1\r\nHost: example.org\r\nX-Forwarded-For: ${ip}\r\n\r\n`;

async function startBehindCdn(t: TestContext, file: string) {
  const { port } = await startUpstream(t, (socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'guard.json'), JSON.stringify(policyOf(file)));
  const web = guardedService(port, { protocol: 'http', http: { policy: 'guard.json' } });
  const { dial, event } = await start(t, { services: { web } }, { folder });
  const isServed = (ip: string) => {
    const socket = dial('web');
    socket.write(requestOf(ip));
    return new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('end', () => resolve(false));
      socket.once('close', () => resolve(false));
    }).finally(() => socket.destroy());
  };
  return { isServed, event };
}

test('a client of the list that a CDN forwards is refused at once, and others are served', async (t) => {
  const file = join(temporaryFolder(), 'bans');
  replace(file, listOf('192.0.2.1'));
  const { isServed, event } = await startBehindCdn(t, file);
  assert.deepEqual([await isServed('192.0.2.1'), await isServed('192.0.2.2')], [false, true]);
  assert.equal((await event(({ action }) => action === 'blocked')).reason, 'banned');
  replace(file, listOf('192.0.2.2'));
  while (await isServed('192.0.2.2'));
  assert.equal(await isServed('192.0.2.1'), true);
});

test('the table stays in force when its file is damaged, older, gone or a pipe', async () => {
  const file = join(temporaryFolder(), 'bans');
  replace(file, listOf('192.0.2.1'));
  const list = await openBans(file);
  const isBanned = (ip: string) => list.table?.has(addressOf(ip)) === true;
  const damaged = listOf('192.0.2.9');
  damaged[40] = 0x31;
  for (const bad of [damaged, damaged.subarray(0, 50), '', listOf('192.0.2.9', now() - 60)]) {
    replace(file, bad);
    await openBans(file); // looks again
    assert.deepEqual([isBanned('192.0.2.1'), isBanned('192.0.2.9')], [true, false]);
  }
  rmSync(file);
  await openBans(file);
  assert.equal(isBanned('192.0.2.1'), true);
  execFileSync('mkfifo', [file]); // to open it would wait for a writer
  await openBans(file);
  assert.equal(isBanned('192.0.2.1'), true);
  rmSync(file);
  replace(file, listOf('192.0.2.2', now() + 1));
  await until(() => isBanned('192.0.2.2'));
});

test('says once that it cannot use a file, and again when it could meanwhile', async (t) => {
  const said: string[] = [];
  t.mock.method(process.stderr, 'write', (text: string) => said.push(text) > 0);
  const file = join(temporaryFolder(), 'bans');
  const looks = async (content: Buffer) => {
    replace(file, content);
    await openBans(file);
    await openBans(file);
    return said.splice(0).join('');
  };
  await looks(listOf('192.0.2.1'));
  const older = listOf('192.0.2.9', now() - 60);
  for (const [bad, reason] of [
    [Buffer.of(), /in force: it has a wrong size\n$/],
    [older, /in force: it is older\n$/],
  ] as const)
    for (let round = 0; round < 2; round += 1) {
      assert.match(await looks(bad), reason);
      assert.equal(await looks(listOf('192.0.2.1')), '');
    }
});

test('a large list is read while other work goes on', async () => {
  const file = join(temporaryFolder(), 'bans');
  const lines = Array.from({ length: limits.banListRanges }, (_, index) => {
    const start = mapped | BigInt(2 * index);
    return rangeLines({ start, end: start, until: now() + 3600 });
  });
  replace(file, banListFile(lines, now()));
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
  });
  const list = await openBans(file);
  clearInterval(count);
  assert.equal(list.table?.count, limits.banListRanges);
  assert.ok(turns > 1, 'no timer ran meanwhile');
});

test('a policy that is not enabled opens no list, and one without a file bans no client', async () => {
  const folder = temporaryFolder();
  const banList = { file: join(folder, 'absent') };
  for (const policy of [{ enabled: false, banList }, { banList }]) {
    writeFileSync(join(folder, 'guard.json'), JSON.stringify(policy));
    const web = guardedService(1, { protocol: 'http', http: { policy: 'guard.json' } });
    const { guards, problems } = await readPolicies(configuration({ services: { web } }), policyReader(folder));
    assert.deepEqual(problems, []);
    const request = { method: 'GET', target: '/', headers: [], ip: '192.0.2.1' };
    assert.equal(guards.get('guard.json')?.evaluate(request).verdict, 'allowed');
  }
});
