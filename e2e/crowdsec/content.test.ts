/** Both releases load the content, and parse each line of the real programs. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { eventLines } from '../../conformance/events/lines.ts';
import { withoutNginx } from '../nginx/process.ts';
import { content, startAgent } from './agent.ts';
import { timeout } from './feed.ts';
import { type AuditName, auditLines, type GatewayName, gatewayLines } from './lines.ts';
import { releases } from './process.ts';

const scenarios = readdirSync(join(content, 'scenarios')).map(
  (file) => `request-guard/${file.slice('request-guard-'.length, -'.yaml'.length)}`,
);

for (const release of releases)
  describe(`the content in CrowdSec ${release.version}`, { skip: release.skip, timeout }, () => {
    it('loads without an error', async (t) => {
      const { status, output } = (await startAgent(t, release)).check();
      assert.equal(status, 0, output);
      const faults = output.split('\n').filter((line) => /level=(?:error|fatal)/.test(line) && !line.includes('.mmdb'));
      assert.deepEqual(faults, []);
      assert.match(output, /Loaded 2 (?:parser )?nodes/);
      for (const name of scenarios) assert.ok(output.includes(`name=${name}`), name);
    });
  });

/** Fields of audit lines, by the names that the parsers give them. */
const auditFields = {
  guard_action: 'action',
  guard_reason: 'reason',
  guard_service: 'service',
  guard_confidence: 'confidence',
  service: 'protocol',
  source_ip: 'client_ip',
};
const eventFields = {
  source_ip: 'client_ip',
  http_path: 'request_uri',
  http_verb: 'method',
  http_status: 'status',
  http_user_agent: 'user_agent',
  target_fqdn: 'host',
  guard_gateway: 'gateway',
  guard_reason: 'reason',
  guard_response: 'action',
  guard_target: 'target',
  guard_candidate: 'candidate',
  guard_rule: 'rule_id',
  guard_type: 'type',
  log_type: 'type',
};

/** Asserts that each non-empty field has the text of the line, including JSON escapes. */
function assertFields(line: string, text: string, fields: Readonly<Record<string, string>>): void {
  const event: Record<string, unknown> = JSON.parse(line);
  for (const [meta, field] of Object.entries(fields)) {
    const written = JSON.stringify(event[field] ?? '').replace(/^"|"$/g, '');
    if (written !== '') assert.ok(text.includes(`evt.Meta.${meta} : ${written}\n`), `${meta}: ${text}`);
  }
}

/** The scenarios that count each line, by their names in `cscli explain`. */
const countedBy: Record<AuditName, readonly string[]> = {
  ssh: ['ssh-bf'],
  imap: ['mail-bf'],
  smtp: ['mail-bf'],
  domain: ['mail-blocked-domains'],
  port_scan: ['port-scan'],
  ban: [],
  banned: [],
};

function counted(text: string): string[] {
  return Array.from(
    text.matchAll(/🟢 request-guard\/((?:ssh|mail|port|http)-[a-z-]+)/g),
    ([, name]) => name as string,
  ).sort();
}

test('each line of tcp-guard is parsed, and counted by the scenario it belongs to', { timeout }, async (t) => {
  const lines = await auditLines(t);
  for (const release of releases)
    await t.test(release.version, { skip: release.skip }, async (t) => {
      const explained = (await startAgent(t, release)).explain(Object.values(lines));
      for (const [name, line] of Object.entries(lines)) {
        const text = explained.get(line) ?? '';
        assert.match(text, /🟢 request-guard\/audit-logs/, `${name}: ${line}`);
        assert.deepEqual(counted(text), countedBy[name as AuditName], `${name}: ${line}`);
        if (release.explainsFields) assertFields(line, text, auditFields);
      }
    });
});

test('a line with white space of a shipper is parsed like the compact line', { timeout }, async (t) => {
  // After a space, the line could be text of a client in the output of another program.
  const spaced = eventLines(new Date()).filter(({ name, line }) => /spaces|tabs/.test(name) && line.startsWith('{'));
  assert.ok(spaced.length >= 4);
  for (const release of releases)
    await t.test(release.version, { skip: release.skip }, async (t) => {
      const explained = (await startAgent(t, release)).explain(spaced.map(({ line }) => line));
      for (const { name, line, gateway } of spaced) {
        const parser = gateway === 'tcp-guard' ? 'audit-logs' : 'gateway-logs';
        assert.ok(explained.get(line)?.includes(`🟢 request-guard/${parser}`), `${name}: ${explained.get(line)}`);
      }
    });
});

const gateways: Readonly<Record<GatewayName, string | false>> = { caddy: false, traefik: false, nginx: withoutNginx };

for (const [gateway, skip] of Object.entries(gateways) as [GatewayName, string | false][])
  test(`each line of the guard in ${gateway} is parsed, and only blocked requests are counted`, {
    skip,
    timeout,
  }, async (t) => {
    const blocked = await gatewayLines(t, gateway);
    const detected = await gatewayLines(t, gateway, 'detect');
    for (const release of releases)
      await t.test(release.version, { skip: release.skip }, async (t) => {
        const explained = (await startAgent(t, release)).explain([...blocked, ...detected]);
        for (const line of [...blocked, ...detected]) {
          const text = explained.get(line) ?? '';
          assert.match(text, /🟢 request-guard\/gateway-logs/, line);
          assert.equal(counted(text).includes('http-many-rules'), blocked.includes(line), line);
          if (release.explainsFields) assertFields(line, text, eventFields);
        }
      });
  });
