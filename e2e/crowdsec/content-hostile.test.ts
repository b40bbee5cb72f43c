/** Forged and broken lines of event files: only the attacker is banned. */
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { type Alert, startAgent, textOf } from './agent.ts';
import { timeout } from './feed.ts';
import { gatewayLines, lineOf } from './lines.ts';
import { releases } from './process.ts';

const [attacker, victim] = ['198.51.100.1', '203.0.113.66'];
/** More lines than the threshold of each scenario. */
const many = Array.from({ length: 12 }, (_, index) => index);
const bigBytes = 2 ** 20;

/** Returns a line that would count if the guard had written it. */
const forged = (event: string, index: number): string =>
  JSON.stringify(lineOf(event, victim, Date.now(), { candidate: `/${index}` }));

/** Lines that contain a line of the guard, or that are made from one and differ from it. */
const wrapped: Readonly<Record<string, (line: string) => string>> = {
  'an access log with the text of a client': (line) => `192.0.2.1 - - "GET / HTTP/1.1" 200 1 "-" "${line}"`,
  'a JSON string': (line) => JSON.stringify({ level: 'info', message: line }),
  'nested JSON': (line) => `{"level":"info","request":${line}}`,
  'a line behind a space': (line) => ` ${line}`,
  'a line with a prefix': (line) => `INFO ${line}`,
  'a line that was cut': (line) => line.slice(0, -1),
  'two lines in one': (line) => `${line}, ${line.slice(0, -1)}`,
  'another order': (line) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse())),
  'a type within a value': (line) => line.replace('"guard_block"', String.raw`"x\",\"type\":\"guard_block"`),
};

/** Values that the guard never writes. */
const odd: Readonly<Record<string, object>> = {
  'no address': { client_ip: '' },
  'an invalid address': { client_ip: '999.1.1.1' },
  'a network': { client_ip: `${victim}/8` },
  'a long address': { client_ip: '1'.repeat(4000) },
  'an object as address': { client_ip: { ip: victim } },
  'a list as address': { client_ip: [victim] },
  'no reason': { client_ip: victim, reason: '' },
  'a list as reason': { client_ip: victim, reason: ['block_pattern_match'] },
  'null as rule, which is one custom rule': { client_ip: victim, rule_id: null },
};

const hostileTexts = [
  '\u001b[31m\u0007',
  '{{ .Value }}',
  '|= "x" | json',
  '%s%n',
  '\u0000',
  '😀\ud800',
  '"\\',
  "' || true || '",
];

const attack = (event: string): object[] =>
  hostileTexts.map((text) => {
    const every = { path: text, request_uri: text, user_agent: text, host: text, candidate: text };
    return lineOf(event, attacker, Date.now(), { ...every, rule_id: 'env-file' });
  });

function mixed(event: string): (string | object)[] {
  const others = many.flatMap((index) => [
    ...Object.values(wrapped).map((wrap) => wrap(forged(event, index))),
    ...Object.values(odd).map((more) => lineOf(event, '', Date.now(), { candidate: `/${index}`, ...more })),
    ...['', 'not JSON', '{', '{}', '[]', 'null', '"', '\ufffd\u0000', '{"type":"guard_block","timestamp":"x"}'],
  ]);
  return [...others, ...attack(event)];
}

const addresses = (alerts: readonly Alert[]): string[] => Array.from(new Set(alerts.map(({ source }) => source.value)));

async function eachRelease(t: TestContext, run: (t: TestContext, release: (typeof releases)[number]) => Promise<void>) {
  for (const release of releases) await t.test(release.version, { skip: release.skip }, (t) => run(t, release));
}

test('forged, nested and broken lines ban only the attacker', { timeout }, async (t) => {
  const [event = ''] = await gatewayLines(t, 'caddy');
  await eachRelease(t, async (t, release) => {
    const agent = await startAgent(t, release);
    const alerts = await agent.replay(mixed(event));
    assert.deepEqual(addresses(alerts), [attacker]);
    // No control character may reach the terminal of a user who reads alerts.
    const values = alerts.flatMap(({ events }) => events.flatMap(({ meta }) => meta.map(({ value }) => value)));
    assert.ok(values.some((value) => value.includes(String.raw`\u001b[31m`)));
    assert.ok(values.every((value) => !/[\u0000-\u001f]/.test(value)));
  });
});

test('lines of a megabyte and bytes that are not UTF-8 do not keep the agent from reading on', {
  timeout,
}, async (t) => {
  const [event = ''] = await gatewayLines(t, 'caddy');
  const big = 'x'.repeat(bigBytes);
  const invalid = many.flatMap((index) => [Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(`${forged(event, index)}\n`)]);
  await eachRelease(t, async (t, release) => {
    const agent = await startAgent(t, release);
    const file = join(agent.folder, 'mixed.jsonl');
    writeFileSync(file, '');
    await agent.follow([file]);
    await until(async () => {
      appendFileSync(file, textOf([big, lineOf(event, victim, Date.now(), { user_agent: big }), big]));
      appendFileSync(file, Buffer.concat(invalid));
      appendFileSync(file, textOf(attack(event)));
      return agent.alerts().length > 0;
    }, 'the attacker to be banned');
    assert.deepEqual(addresses(agent.alerts()), [attacker]);
  });
});
