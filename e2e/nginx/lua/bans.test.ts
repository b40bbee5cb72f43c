/** The ban list in a real nginx. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rangeLines } from '../../../contract/policy/ban-list.ts';
import { limits } from '../../../contract/policy/limits.ts';
import { type ModeRow, modes } from '../../../contract/policy/modes.ts';
import { parseAddress } from '../../../contract/values/address.ts';
import { banListFile } from '../../../engine/ban-list-file.ts';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import { withoutNginx } from '../process.ts';
import { type Guarded, startGuarded, statusOf } from './guarded.ts';

const mapped = 0xffffn << 32n;
const numberOf = (ip: string): bigint => {
  const address = parseAddress(ip);
  assert(address);
  return address.family === 4 ? mapped | address.value : address.value;
};
const now = (): number => Math.floor(Date.now() / 1000);
const linesOf = (start: string, end = start, until = now() + 3600) =>
  rangeLines({ start: numberOf(start), end: numberOf(end), until });
const fileOf = (...ranges: string[]) => banListFile(ranges, now());

const path = () => join(scratchFolder('guard-bans-'), 'bans');
function replace(file: string, content: Buffer): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

/** A policy that takes the client from X-Forwarded-For. */
const trusting = (file: string) => ({ banList: { file }, trustedProxies: ['127.0.0.1'] });
const from = (ip: string) => ({ headers: [['X-Forwarded-For', ip]] as const });

async function untilStatus(nginx: Guarded, message: object, status: number): Promise<void> {
  for (let tries = 0; (await statusOf(nginx, message)) !== status; tries++) {
    assert(tries < 2000, `the status is never ${status}\n${nginx.log()}`);
    await sleep(10);
  }
}

/** Makes the modes that hold short. No server listens at the port. */
const shortOptions = {
  ...{ gzipBombMb: 1, streamSizeMb: 1, tarpitDelayMs: 10, tarpitMaxDurationSeconds: 1 },
  proxyUrl: 'http://127.0.0.1:9',
};

describe('the ban list in nginx', { skip: withoutNginx }, () => {
  it('refuses exactly its clients', async (t) => {
    const file = path();
    const list = [
      linesOf('::2'),
      linesOf('10.0.0.1'),
      linesOf('192.0.2.0', '192.0.2.255'),
      linesOf('198.51.100.9', '198.51.100.9', now() - 1),
      linesOf('2001:db8::', '2001:db8::ffff:ffff:ffff:ffff'),
    ];
    replace(file, fileOf(...list));
    const nginx = await startGuarded(t, { policies: { default: trusting(file) } });
    const banned = ['10.0.0.1', '::ffff:10.0.0.1', '192.0.2.0', '192.0.2.77', '192.0.2.255', '2001:db8::5', '::2'];
    for (const ip of banned) assert.equal(await statusOf(nginx, from(ip)), 403, ip);
    const clean = ['10.0.0.0', '10.0.0.2', '192.0.1.255', '192.0.3.0', '198.51.100.9', '2001:db8:0:1::', '::1', '::3'];
    for (const ip of clean) assert.equal(await statusOf(nginx, from(ip)), 200, ip);
    assert.deepEqual(new Set(nginx.events().map(({ reason }) => reason)), new Set(['banned']));
  });

  it('obeys the policy, whatever the method is', async (t) => {
    const file = path();
    replace(file, fileOf(linesOf('127.0.0.1')));
    const captcha = { provider: 'turnstile', siteKey: 'k', secretKey: 's' };
    const banList = { file };
    const nginx = await startGuarded(t, {
      policies: {
        default: { banList },
        allowed: { banList, allowedIps: ['127.0.0.0/8'] },
        pattern: { banList, allowPatterns: ['.'] },
        detect: { banList, mode: 'detect' },
        off: { banList, enabled: false },
        busy: { banList, response: { mode: 'ratelimit' } },
        captcha: { banList, response: { mode: 'captcha', captcha } },
      },
    });
    const status = (policy: string, message = {}) => statusOf(nginx, { policy, ...message });
    assert.equal(await statusOf(nginx, { method: 'DELETE' }), 403);
    assert.equal(await statusOf(nginx, { headers: [['X-Forwarded-For', '192.0.2.1']] }), 403);
    assert.equal(await status('allowed'), 200);
    assert.equal(await status('pattern'), 403);
    assert.equal(await status('detect'), 200);
    assert.equal(await status('off'), 200);
    assert.equal(await status('busy'), 429);
    assert.equal(await status('captcha'), 403);
    assert.equal(await status('captcha', { target: '/.guard/captcha', method: 'POST', body: '' }), 403);
    const { type, action } = nginx.events().at(-1) ?? {};
    assert.deepEqual([type, action], ['guard_block', 'text']);
  });

  it('reads a new file, also in a worker without requests', async (t) => {
    const file = path();
    replace(file, fileOf(linesOf('10.0.0.1')));
    const nginx = await startGuarded(t, { policies: { default: trusting(file) }, workers: 2 });
    replace(file, fileOf(linesOf('10.0.0.2')));
    await untilStatus(nginx, from('10.0.0.2'), 403);
    await untilStatus(nginx, from('10.0.0.1'), 200);
  });
});

test('a list of every address refuses all but clients in allowed_ips, in nginx', { skip: withoutNginx }, async (t) => {
  const file = path();
  replace(file, fileOf(linesOf('::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')));
  const policy = { ...trusting(file), allowedIps: ['198.51.100.0/24'] };
  const nginx = await startGuarded(t, { policies: { default: policy } });
  for (const ip of ['0.0.0.0', '255.255.255.255', '::', '2001:db8::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'])
    assert.equal(await statusOf(nginx, from(ip)), 403, ip);
  assert.equal(await statusOf(nginx, from('198.51.100.1')), 200);
});

test('banned clients get the response of the list in each mode, in nginx', { skip: withoutNginx }, async (t) => {
  const file = path();
  replace(file, fileOf(linesOf('192.0.2.1')));
  const rows = Object.entries<ModeRow>(modes).filter(([mode]) => mode !== 'captcha');
  const nginx = await startGuarded(t, {
    policies: Object.fromEntries(
      rows.map(([mode]) => {
        const response = { mode, headers: { 'X-Banned': 'yes' }, ...shortOptions };
        return [mode, { ...trusting(file), banList: { file, response }, response: { mode: 'xml', statusCode: 451 } }];
      }),
    ),
  });
  for (const [policy, { statusCode }] of rows) {
    const message = { policy, method: 'DELETE', ...from('192.0.2.1') };
    const expected = policy === 'proxy' ? 502 : (statusCode ?? 0);
    assert.equal(await statusOf(nginx, message), expected, policy);
    assert.equal(nginx.events().at(-1)?.action, policy);
    assert.equal(await statusOf(nginx, { policy, target: '/.env', ...from('192.0.2.2') }), 451, policy);
  }
});

const largest = () =>
  Array.from({ length: limits.banListRanges }, (_, index) => {
    const value = mapped | (BigInt(10 << 24) + BigInt(2 * index));
    return rangeLines({ start: value, end: value, until: now() + 3600 });
  });

/** Files that cannot be used. Each is put in place of a list with one ban. */
const damages: Readonly<Record<string, (file: string) => void>> = {
  'is empty': (file) => writeFileSync(file, ''),
  'was truncated': (file) => writeFileSync(file, fileOf(linesOf('10.0.0.2')).subarray(0, 90)),
  'has another version': (file) =>
    writeFileSync(file, fileOf(linesOf('10.0.0.2')).toString().replace('bans 1', 'bans 2')),
  'has another checksum': (file) =>
    writeFileSync(file, fileOf(linesOf('10.0.0.2')).toString().replace(/.{9}$/s, '00000000\n')),
  'is not sorted': (file) => writeFileSync(file, fileOf(linesOf('10.0.0.3'), linesOf('10.0.0.2'))),
  overlaps: (file) => writeFileSync(file, fileOf(linesOf('10.0.0.2', '10.0.0.9'), linesOf('10.0.0.4'))),
  'has other characters': (file) => writeFileSync(file, fileOf(linesOf('10.0.0.2').toUpperCase())),
  'has too many ranges': (file) => {
    writeFileSync(file, banListFile([...largest(), linesOf('192.0.2.1')], now()));
  },
  'has a gigabyte': (file) => {
    writeFileSync(file, '');
    truncateSync(file, 2 ** 30);
  },
  'is a folder': (file) => mkdirSync(file),
  'is a link to a device': (file) => symlinkSync('/dev/zero', file),
  'is a pipe': (file) => execFileSync('mkfifo', [file]),
  'is older': (file) => writeFileSync(file, banListFile([linesOf('10.0.0.2')], now() - 60)),
  'is gone': () => {},
};

function withFile(t: TestContext, file: string): Promise<Guarded> {
  replace(file, fileOf(linesOf('10.0.0.1')));
  return startGuarded(t, { policies: { default: trusting(file) } });
}

describe('a ban list that cannot be used, in nginx', { skip: withoutNginx, concurrency: 4 }, () => {
  for (const [name, damage] of Object.entries(damages))
    it(`changes nothing when it ${name}`, async (t) => {
      const file = path();
      const nginx = await withFile(t, file);
      assert.equal(await statusOf(nginx, from('10.0.0.1')), 403);
      damage(`${file}.new`); // before the file is gone, because that is another reason
      renameSync(file, `${file}.old`);
      if (name !== 'is gone') renameSync(`${file}.new`, file);
      while (!nginx.log().includes('cannot be used')) await sleep(20);
      assert.equal(await statusOf(nginx, from('10.0.0.1')), 403);
      assert.equal(await statusOf(nginx, from('10.0.0.2')), 200);
      renameSync(`${file}.old`, `${file}.back`);
      if (name !== 'is a folder') replace(file, fileOf(linesOf('10.0.0.4')));
      if (name !== 'is a folder') await untilStatus(nginx, from('10.0.0.4'), 403);
      assert.equal(nginx.log().split('cannot be used').length, 2, 'it is said once');
    });

  it('says a fault again that comes again', async (t) => {
    const file = path();
    const nginx = await withFile(t, file);
    const said = () => nginx.log().split('cannot be used').length - 1;
    assert.equal(await statusOf(nginx, from('10.0.0.1')), 403); // the worker follows the list from now on
    for (const [index, ip] of ['10.0.0.2', '10.0.0.3'].entries()) {
      replace(file, Buffer.of());
      while (said() <= index) await sleep(20);
      replace(file, fileOf(linesOf(ip)));
      await untilStatus(nginx, from(ip), 403);
    }
    assert.equal(said(), 2);
  });

  it('is complete while it is replaced all the time', async (t) => {
    const file = path();
    const full = largest();
    const nginx = await withFile(t, file);
    for (let count = 0; count < 40; count++) {
      replace(file, banListFile(full, now() + count));
      assert.equal(await statusOf(nginx, from('192.0.2.1')), 200);
    }
    await untilStatus(nginx, from('10.0.0.2'), 403);
    await untilStatus(nginx, from('10.3.255.254'), 403);
    assert.equal(await statusOf(nginx, from('10.3.255.255')), 200);
    assert.doesNotMatch(nginx.log(), /ban list/);
  });
});
