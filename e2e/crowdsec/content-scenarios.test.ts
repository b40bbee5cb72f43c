/** What the scenarios detect and tolerate. The lines are real ones with other times and clients. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { blockedReasons } from '../../contract/policy/reasons.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { compile } from '../../engine/index.ts';
import { type Agent, type Alert, startAgent } from './agent.ts';
import { timeout } from './feed.ts';
import { type AuditName, auditLines, gatewayLines, type Line, lineOf, scannedTargets } from './lines.ts';
import { releases } from './process.ts';

const secondMs = 1000;
/** Lines that exceed a threshold are spread over this time. */
const nearlyAMinuteMs = 55 * secondMs;

const found = (alerts: readonly Alert[]): string[] =>
  alerts.map(({ scenario, source }) => `${scenario} ${source.value}`).sort();

type More = (index: number) => object;

/** Returns lines of a client at equal distances over the last `withinMs`. */
function spread(text: string, client: string, count: number, withinMs: number, more: More = () => ({})): Line[] {
  const start = Date.now() - withinMs;
  const apartMs = withinMs / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) =>
    lineOf(text, client, Math.round(start + index * apartMs), more(index)),
  );
}

const inOrder = (lines: readonly Line[]): Line[] =>
  lines.toSorted((one, other) => Date.parse(one.timestamp) - Date.parse(other.timestamp));

interface Case {
  readonly scenario: string;
  readonly text: string;
  /** `detected` lines within a minute cause an alert. `tolerated` lines within a second do not. */
  readonly detected: number;
  readonly tolerated: number;
  readonly more?: More;
}

const audited: readonly (Omit<Case, 'text'> & { readonly line: AuditName })[] = [
  { scenario: 'ssh-bf', line: 'ssh', detected: 10, tolerated: 6 },
  { scenario: 'mail-bf', line: 'imap', detected: 5, tolerated: 4 },
  { scenario: 'mail-bf', line: 'smtp', detected: 5, tolerated: 4 },
  { scenario: 'mail-blocked-domains', line: 'domain', detected: 5, tolerated: 4 },
  { scenario: 'port-scan', line: 'port_scan', detected: 10, tolerated: 9 },
];

const rules = (category: string): string[] =>
  builtInRules.filter((rule) => rule.category === category && rule.action === 'block').map(({ id }) => id);
const distinct =
  (ids: readonly string[]): More =>
  (index) => ({ rule_id: ids[index % ids.length], candidate: `/candidate/${index}` });

const blocked: readonly Omit<Case, 'text'>[] = [
  { scenario: 'http-sensitive-files', detected: 5, tolerated: 4, more: distinct(['env-file']) },
  { scenario: 'http-traversal', detected: 5, tolerated: 4, more: distinct(['trav-dotdot']) },
  { scenario: 'http-many-rules', detected: 5, tolerated: 4, more: distinct(rules('injection')) },
];

async function cases(t: TestContext): Promise<Case[]> {
  const audit = await auditLines(t);
  const [event = ''] = await gatewayLines(t, 'caddy');
  return [
    ...audited.map(({ line, ...one }) => ({ ...one, text: audit[line] })),
    ...blocked.map((one) => ({ ...one, text: event })),
  ];
}

async function replayed(
  t: TestContext,
  lines: readonly Line[],
  check: (alerts: Alert[], agent: Agent) => void,
): Promise<void> {
  for (const release of releases)
    await t.test(release.version, { skip: release.skip }, async (t) => {
      const agent = await startAgent(t, release);
      check(await agent.replay(inOrder(lines)), agent);
    });
}

const bannedIn = (agent: Agent): string[] =>
  (JSON.parse(agent.cscli('decisions', 'list', '-a', '-o', 'json')) ?? [])
    .flatMap(({ decisions }: { decisions: { value: string }[] }) => decisions.map(({ value }) => value))
    .sort();

test('each scenario bans a client at its threshold, and none below it', { timeout }, async (t) => {
  const all = await cases(t);
  const [over, under] = ['2001:db8::', '198.51.100.'];
  const lines = all.flatMap(({ text, detected, tolerated, more }, index) => [
    ...spread(text, `${over}${index + 1}`, detected, nearlyAMinuteMs, more),
    ...spread(text, `${under}${index + 1}`, tolerated, secondMs, more),
  ]);
  await replayed(t, lines, (alerts, agent) => {
    assert.deepEqual(
      found(alerts),
      all.map(({ scenario }, index) => `request-guard/${scenario} ${over}${index + 1}`).sort(),
    );
    assert.deepEqual(bannedIn(agent), all.map((_, index) => `${over}${index + 1}`).sort());
  });
});

test('a scenario that is simulated detects, and no bouncer gets a decision', { timeout }, async (t) => {
  const { port_scan } = await auditLines(t);
  const name = 'request-guard/port-scan';
  for (const release of releases)
    await t.test(release.version, { skip: release.skip }, async (t) => {
      const agent = await startAgent(t, release);
      agent.cscli('simulation', 'enable', release.localName(name));
      const alerts = await agent.replay(spread(port_scan, '198.51.100.1', 10, secondMs));
      assert.deepEqual(found(alerts), [`${name} 198.51.100.1`]);
      const headers = { 'X-Api-Key': agent.apiKey, 'User-Agent': 'test/1' };
      const decisions = await fetch(`${agent.url}/v1/decisions`, { headers });
      assert.deepEqual([decisions.status, await decisions.json()], [200, null]);
    });
});

const [minuteMs, dayMs] = [60_000, 86_400_000];

/** Returns events of blocked near misses, spread over many visitors. */
function nearMisses(event: string, from: number): Line[] {
  const guard = compile(Policy.parse({}));
  const targets = builtInRules.flatMap((rule) => rule.nearMisses).filter((text) => text.startsWith('/'));
  assert.ok(targets.length > 200);
  return targets.flatMap((target, index) => {
    const ip = `203.0.113.${index % 50}`;
    const verdict = guard.evaluate({ method: 'GET', target, headers: [], ip, host: 'example.com' });
    if (verdict.verdict !== 'blocked') return [];
    const { reason, rule = '', candidate = '' } = verdict;
    return lineOf(event, ip, from + (index * dayMs) / targets.length, { reason, rule_id: rule, candidate });
  });
}

/** Lines of one day that must cause no alert: of benign clients, and of refused ones. */
function cleanDay(audit: Record<AuditName, string>, event: string): Line[] {
  const start = Date.now() - dayMs;
  const every = (text: string, client: string, apartMs: number, count: number, more: object = {}) =>
    Array.from({ length: count }, (_, index) => lineOf(text, client, start + index * apartMs, more));
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  return [
    ...nearMisses(event, start),
    // Users mistype passwords, and mail programs keep outdated ones.
    ...hours.flatMap((hour) => spread(audit.imap, `203.0.113.${100 + hour}`, 4, 30_000)),
    ...every(audit.smtp, '203.0.113.60', 5 * minuteMs, 288),
    // Automated SSH sessions are as short as refused ones.
    ...every(audit.ssh, '203.0.113.61', minuteMs / 2, 2880),
    // A page requests a blocked file on every reload.
    ...every(event, '203.0.113.62', 1000, 600),
    ...scannedTargets.flatMap((path) =>
      every(event, '203.0.113.63', minuteMs, 20, { type: 'guard_detect', candidate: path }),
    ),
    // During a flood, tcp-guard writes one line for many refused connections.
    ...every(audit.ban, '203.0.113.64', 100, 500),
    ...every(audit.port_scan, '203.0.113.65', minuteMs, 3, { count: 5000 }),
    ...every(audit.banned, '203.0.113.0/24', minuteMs, 20),
    ...every('{"type":"guard_block_summary","timestamp":"","gateway":"caddy","count":100000}', '', 1000, 20),
  ];
}

test('a day of honest clients causes no ban, and an attack in it bans only its client', { timeout }, async (t) => {
  const audit = await auditLines(t);
  const [event = ''] = await gatewayLines(t, 'caddy');
  const attack = spread(event, '2001:db8::1', 5, nearlyAMinuteMs, distinct(['env-file']));
  await replayed(t, [...cleanDay(audit, event), ...attack], (alerts) =>
    assert.deepEqual(found(alerts), ['request-guard/http-sensitive-files 2001:db8::1']),
  );
});

test('every built-in rule and every reason of the guard is one that the parser has a kind for', {
  timeout,
}, async (t) => {
  const [event = ''] = await gatewayLines(t, 'caddy');
  const at = (more: object) => JSON.stringify(lineOf(event, '192.0.2.1', Date.now(), more));
  const ids = builtInRules.flatMap(({ id, action }) => (action === 'block' ? [id] : []));
  const known = [
    ...ids.map((rule_id) => at({ rule_id })),
    ...blockedReasons.filter((reason) => reason !== 'block_pattern_match').map((reason) => at({ reason, rule_id: '' })),
  ];
  const [custom, unknown] = [at({ rule_id: 'block[0]' }), at({ reason: 'not_a_reason' })];
  for (const release of releases)
    await t.test(release.version, { skip: release.skip }, async (t) => {
      const explained = (await startAgent(t, release)).explain([...known, custom, unknown]);
      const isCounted = (line: string) => explained.get(line)?.includes('request-guard/http-many-rules');
      for (const line of [...known, custom]) assert.ok(isCounted(line), line);
      assert.equal(isCounted(unknown), false);
      if (!release.explainsFields) return; // `explain` of 1.4.6 prints no fields
      for (const line of known) assert.match(explained.get(line) ?? '', /guard_kind : (?!custom_rule)\w/);
      assert.match(explained.get(custom) ?? '', /guard_kind : custom_rule/);
    });
});
