import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnsOf } from '../../platform/testing/turns.ts';
import { readEntries } from './entries.ts';

const now = Date.UTC(2026, 0, 1);
const read = (text: string, column?: number) =>
  readEntries(text, { now, most: 100, ...(column !== undefined && { column }) });
const addresses = async (text: string, column?: number) => (await read(text, column)).entries.map(({ ip }) => ip);

const formats: Readonly<Record<string, readonly [text: string, addresses: readonly string[], column?: number]>> = {
  'plain lines with comments': [
    '# list\n192.0.2.1\r\n\n2001:DB8::/32 ; SBL1\n;x\n198.51.100.7#y',
    ['192.0.2.1', '2001:db8::/32', '198.51.100.7'],
  ],
  Spamhaus: [
    '{"cidr":"192.0.2.0/24","sblid":"SBL1","rir":"arin"}\n{"cidr":"198.51.100.0/24","sblid":"SBL2"}\n{"type":"metadata","timestamp":1,"size":2}\n',
    ['192.0.2.0/24', '198.51.100.0/24'],
  ],
  CSV: ['name,ip\n"x","192.0.2.1"\ny,192.0.2.2,z', ['192.0.2.1', '192.0.2.2'], 2],
  'fail2ban-client banned': [
    "[{'sshd': ['192.0.2.1', '2001:db8::1']}, {'nginx-http-auth': []}]\n",
    ['192.0.2.1', '2001:db8::1'],
  ],
  'cscli without decisions': ['null\n', []],
};

for (const [name, [text, expected, column]] of Object.entries(formats))
  test(`reads ${name}`, async () => assert.deepEqual(await addresses(text, column), expected));

test('reads reasons and ends of cscli decisions list -o json, and only bans of addresses', async () => {
  const decision = (more: object) => ({ duration: '3h59m1.5s', scope: 'Ip', type: 'ban', scenario: 'ssh-bf', ...more });
  const alerts = [
    { decisions: [decision({ value: '192.0.2.1' }), decision({ value: '192.0.2.0/25', scope: 'Range' })] },
    { decisions: [decision({ value: 'DE', scope: 'Country' }), decision({ value: '192.0.2.9', type: 'captcha' })] },
    { decisions: null },
  ];
  const leftMs = (3 * 3600 + 59 * 60 + 1) * 1000;
  assert.deepEqual((await read(JSON.stringify(alerts))).entries, [
    { ip: '192.0.2.1', reason: 'ssh-bf', leftMs },
    { ip: '192.0.2.0/25', reason: 'ssh-bf', leftMs },
  ]);
});

test('reads the ends of the own export', async () => {
  const bans = [
    { ip: '192.0.2.1', reason: 'x', expires_at: new Date(now + 5000).toISOString() },
    { ip: '192.0.2.2', reason: 'y', expires_at: null },
  ];
  assert.deepEqual((await read(JSON.stringify({ bans }))).entries, [
    { ip: '192.0.2.1', reason: 'x', leftMs: 5000 },
    { ip: '192.0.2.2', reason: 'y', leftMs: Number.POSITIVE_INFINITY },
  ]);
});

test('counts what is not an address, and bounds the entries', async () => {
  assert.deepEqual(await read('<html><body>\n<p>403</p>\n'), { entries: [], unread: 2, beyond: 0 });
  const many = Array.from({ length: 150 }, (_, index) => `192.0.2.${index}`).join('\n');
  const { entries, unread, beyond } = await read(many);
  assert.deepEqual([entries.length, unread, beyond], [100, 0, 50]);
  for (const hostile of [
    '[',
    '{"bans": 3}',
    '[[[[',
    '[{"a": [1, {}, null]}]',
    '[{"decisions": [3]}]',
    '\0'.repeat(100),
    '{'.repeat(1e5),
    '[{"decisions": [{"scope": {"toString": 1}, "value": "192.0.2.1"}]}]',
  ])
    assert.deepEqual((await read(hostile)).entries, [], hostile.slice(0, 20));
});

test('takes an end that is not a text for none', async () => {
  for (const end of ['{"toString": 1}', '['.repeat(100_000) + ']'.repeat(100_000), '7', 'true'])
    assert.deepEqual(
      (await readEntries(`{"bans": [{"ip": "192.0.2.1", "expires_at": ${end}}]}`, { now, most: 100_000 })).entries,
      [{ ip: '192.0.2.1' }],
      end.slice(0, 20),
    );
});

test('does not parse texts that are longer than an address', async () => {
  const long = 'a:'.repeat(4_000_000);
  for (const text of [long, JSON.stringify({ bans: [{ ip: long }] }), `{"cidr":"${long}"}`])
    assert.deepEqual(await read(text), { entries: [], unread: 1, beyond: 0 }, text.slice(0, 20));
});

test('reads no document with more parts than its entries need', async () => {
  const rows = (count: number) => `{"bans": [${'{"ip":"192.0.2.1"},'.repeat(count)}{}]}`;
  assert.equal((await read(rows(90))).entries.length, 90);
  assert.deepEqual(await read(rows(900)), { entries: [], unread: 1, beyond: 0 });
  assert.deepEqual(await read('['.repeat(10_000) + ']'.repeat(10_000)), { entries: [], unread: 1, beyond: 0 });
  const row = (sblid: string) => `{"cidr":"192.0.2.0/24","sblid":"${sblid}"}`;
  assert.equal((await read(row('SBL1'))).entries.length, 1);
  assert.deepEqual(await read(row('S'.repeat(1000))), { entries: [], unread: 1, beyond: 0 });
});

test('lets other callbacks run between rows, also between comments', async () => {
  const [rows, least] = [100_000, 40];
  for (const row of ['192.0.2.1\n', 'x\n', '\n', '# comment\n'])
    assert.ok((await turnsOf(read(row.repeat(rows)))) > least, JSON.stringify(row));
});
