/** Operations that ban and unban. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { memoryBans } from './testing/core.ts';
import { decision, feedOf } from './testing/feed.ts';
import { errorOf, post, realBans, start, testFolder } from './testing/running-api.ts';

test('bans, lists and unbans an address', async (t) => {
  const { url } = await start(t);
  const banned = await post(`${url}/ban`, { ip: '192.0.2.7', duration: '1h30m', reason: 'scanner' });
  assert.equal(banned.status, 201);
  const record = (await banned.json()) as Record<string, string>;
  assert.deepEqual([record.ip, record.reason, record.origin], ['192.0.2.7', 'scanner', 'api']);
  assert.equal(Date.parse(record.expires_at as string) - Date.parse(record.banned_at as string), 5_400_000);
  assert.match(record.remaining as string, /^1h(29m\d+s|30m)$/);
  const forEver = await post(`${url}/api/ban`, { ip: '2001:DB8::7', duration: 'permanent' });
  const { expires_at, remaining, ip } = (await forEver.json()) as Record<string, unknown>;
  assert.deepEqual([ip, expires_at, remaining], ['2001:db8::7', null, 'permanent']);
  const { bans } = (await (await fetch(`${url}/banlist`)).json()) as { bans: { ip: string }[] };
  assert.deepEqual(
    bans.map((ban) => ban.ip),
    ['192.0.2.7', '2001:db8::7'],
  );
  const lifted = await post(`${url}/unban`, { ip: '192.0.2.7' });
  assert.deepEqual([lifted.status, ((await lifted.json()) as { ip: string }).ip], [200, '192.0.2.7']);
  assert.deepEqual((await errorOf(await post(`${url}/unban`, { ip: '192.0.2.7' }))).slice(0, 2), [404, 'not_banned']);
});

test('bans a client of the SSH server of this host only with force', async (t) => {
  const { url } = await start(t, { control: { sshClients: () => ['192.0.2.7', '2001:db8::7'] } });
  for (const ip of ['192.0.2.7', '192.0.2.0/24', '2001:db8::/64', '::ffff:192.0.2.7']) {
    const [status, code, message] = await errorOf(await post(`${url}/ban`, { ip }));
    assert.deepEqual([status, code], [409, 'ssh_client'], ip);
    assert.match(message, /^(?:192\.0\.2\.7|2001:db8::7) is connected to the SSH server/);
    assert.equal((await post(`${url}/ban`, { ip, force: true })).status, 201);
  }
  assert.equal((await post(`${url}/ban`, { ip: '192.0.2.8' })).status, 201);
});

test('accepts durations of every form', async (t) => {
  const { url } = await start(t);
  for (const duration of ['1s', '30s', '4h', '1h30m', '7d', '365d', '8760h0m0s', '90m', '1d12h', 'permanent'])
    assert.equal((await post(`${url}/ban`, { ip: '192.0.2.1', duration })).status, 201, duration);
});

test('/unban of an address names the wider ban or decision that covers it', async (t) => {
  const { url } = await start(t, { control: { bans: await realBans(t), feed: await feedOf(decision) } });
  assert.equal((await post(`${url}/ban`, { ip: '203.0.113.77/24' })).status, 201);
  for (const ip of ['203.0.113.7', '203.0.113.0/28']) {
    const found = await errorOf(await post(`${url}/unban`, { ip }));
    assert.deepEqual(found, [404, 'not_banned', `${ip} is not banned itself: the ban of 203.0.113.0/24 covers it`]);
  }
  const [, , message] = await errorOf(await post(`${url}/unban`, { ip: '198.51.100.9' }));
  assert.match(message, / itself: a decision of the threat feed on 198\.51\.100\.0\/24 covers it$/);
});

test('bans and unbans are stored and restored', async (t) => {
  const dataDir = testFolder();
  const first = await realBans(t, dataDir);
  const { url } = await start(t, { control: { bans: first } });
  for (const ip of ['203.0.113.1', '203.0.113.2', '2001:db8::/32'])
    await post(`${url}/ban`, { ip, duration: 'permanent' });
  await post(`${url}/unban`, { ip: '203.0.113.1' });
  await first.close();
  const again = await realBans(t, dataDir);
  assert.deepEqual(
    again.list({ limit: 10 }).bans.map(({ ip }) => ip),
    ['203.0.113.2', '2001:db8::/32'],
  );
});

const badAddresses = [
  'localhost',
  '192.0.2.1/33',
  '0192.0.2.1',
  '10.0.0.0/7',
  '2001:db8::/31',
  '192.0.2.1 ',
  '',
  'fe80::1%eth0',
  '::ffff:192.0.2.1/40',
];

test('refuses to ban an invalid address, too wide a network, and an address in never_ban', async (t) => {
  const { url } = await start(t, { control: { bans: await realBans(t) } });
  for (const ip of badAddresses)
    assert.deepEqual((await errorOf(await post(`${url}/ban`, { ip }))).slice(0, 2), [400, 'bad_address'], ip);
  for (const ip of ['127.0.0.1', '::1', '126.0.0.0/8'])
    assert.equal((await post(`${url}/ban`, { ip })).status, ip.startsWith('126') ? 201 : 409, ip);
  const [status, code, message] = await errorOf(await post(`${url}/report`, { ip: '192.0.2.0/24', reason: 'x' }));
  assert.deepEqual([status, code], [400, 'bad_address']);
  assert.equal(message, 'ip: expected an IPv4 or IPv6 address, found "192.0.2.0/24"');
});

test('refuses a reason with what a terminal or a reader of lines interprets, and accepts 200 characters of any script', async (t) => {
  const { url } = await start(t);
  const ban = (reason: string) => post(`${url}/ban`, { ip: '192.0.2.7', reason });
  for (const part of ['\n', '\u001b[2J', '\x7f', '\u009b2J', '\x85', '\u2028', '\u2029', '\ud800', '\udc00x'])
    assert.equal((await ban(`a${part}b`)).status, 400, JSON.stringify(part));
  for (const reason of ['', 'x'.repeat(201)]) assert.equal((await ban(reason)).status, 400, reason);
  for (const reason of ['\u{1f468}\u200d\u{1f469}', '\u{1f600}'.repeat(200), 'früher, später', '\u65e5\u672c'])
    assert.equal((await ban(reason)).status, 201, reason);
});

test('lifts a ban when the store fails, and reports that it is not durable', async (t) => {
  const folder = testFolder();
  writeFileSync(join(folder, 'file'), 'in the way');
  const bans = await realBans(t, join(folder, 'file', 'data'));
  const { url } = await start(t, { control: { bans } });
  const answers = [];
  for (const path of ['ban', 'unban', 'unban'])
    answers.push((await errorOf(await post(`${url}/${path}`, { ip: '198.51.100.1' }))).slice(0, 2));
  assert.deepEqual(answers, [
    [507, 'not_durable'],
    [507, 'not_durable'],
    [404, 'not_banned'],
  ]);
});

test('each refusal of the store has its own code', async (t) => {
  const outcomes = {
    '192.0.2.1': { ok: false, refusal: 'bad_address' },
    '192.0.2.2': { ok: false, refusal: 'never_ban' },
    '192.0.2.3': { ok: false, refusal: 'too_many' },
    '192.0.2.4': {
      ok: true,
      isDurable: false,
      ban: { ip: '192.0.2.4', reason: '', service: null, origin: 'api', bannedAt: 0, expiresAt: 0 },
    },
  } as const;
  const bans = {
    ...memoryBans(Date.now),
    add: async ({ ip }: { ip: string }) => outcomes[ip as keyof typeof outcomes],
  };
  const { url } = await start(t, { control: { bans } });
  const found = [];
  for (const ip of Object.keys(outcomes)) found.push((await errorOf(await post(`${url}/ban`, { ip }))).slice(0, 2));
  assert.deepEqual(found, [
    [400, 'bad_address'],
    [409, 'never_ban'],
    [507, 'too_many_bans'],
    [507, 'not_durable'],
  ]);
});

test('/allow and /disallow refuse what they cannot do, and /banlist shows exemptions on its first page', async (t) => {
  const exemption = { ip: '192.0.2.7', reason: 'x', allowedAt: Date.now(), expiresAt: Date.now() + 7_200_000 };
  const exemptions = {
    list: () => [exemption],
    add: async ({ ip }: { ip: string }) =>
      ip === '192.0.2.9'
        ? ({ ok: false, refusal: 'too_many' } as const)
        : ({ ok: true, exemption, isDurable: ip !== '192.0.2.8' } as const),
    remove: async (ip: string) =>
      ip === '192.0.2.7' ? ({ ok: true, exemption, isDurable: true } as const) : undefined,
  };
  const { url } = await start(t, { control: { exemptions } });
  const code = async (path: string, body: object) => (await errorOf(await post(`${url}${path}`, body))).slice(0, 2);
  assert.equal((await post(`${url}/allow`, { ip: '192.0.2.7', duration: '2h' })).status, 201);
  for (const duration of ['permanent', '0s', '366d', ''])
    assert.deepEqual(await code('/allow', { ip: '192.0.2.7', duration }), [400, 'bad_body'], duration);
  assert.deepEqual(await code('/allow', { ip: '192.0.2.7' }), [400, 'bad_body']);
  assert.deepEqual(await code('/allow', { ip: '192.0.2.8', duration: '2h' }), [507, 'not_durable']);
  assert.deepEqual(await code('/allow', { ip: '192.0.2.9', duration: '2h' }), [507, 'too_many_exemptions']);
  assert.deepEqual(await code('/disallow', { ip: '192.0.2.1' }), [404, 'not_exempt']);
  const { exemptions: listed } = (await (await fetch(`${url}/banlist`)).json()) as { exemptions: { ip: string }[] };
  assert.deepEqual(
    listed.map(({ ip }) => ip),
    ['192.0.2.7'],
  );
  assert.deepEqual(await (await fetch(`${url}/banlist?ip=192.0.2.9`)).json(), { bans: [] });
});
