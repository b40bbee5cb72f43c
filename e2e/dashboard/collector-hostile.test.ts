/** With hostile lines and clients, the collector must create few streams and bound its memory. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { skip } from '../../artefacts/testing/collector.ts';
import { auditLine, blockLine } from '../../cli/report/testing/examples.ts';
import { allLines, currentTime, newAudit, newBlock, timeout, waitForCount, waitForLines } from './collector-lines.ts';
import { startStack } from './loki-query.ts';

describe('hostile lines in the collector', { skip, timeout }, () => {
  it('makes no labels of hostile lines, and bounds lines, values and times', async (t) => {
    const { collector, query } = await startStack(t);
    const hostile = [
      '{"type":"guard_block","gateway":{"a":1}}',
      newBlock({ gateway: 'evil', mode: 'x', user_agent: { a: [1] }, status: 'x', timestamp: 5 }),
      newBlock({ timestamp: '2099-01-01T00:00:00.000Z', path: `/${'p'.repeat(4000)}` }),
      newBlock({ rule_id: 'r'.repeat(65) }),
      newBlock({ path: `/${'p'.repeat(5000)}` }),
      newBlock({ timestamp: '2020-01-01T00:00:00.000Z', user_agent: '\u001b[2J{{.x}} |= "y" <script>' }),
      newAudit({ action: 'evil' }),
      newAudit({ service: 'evil', protocol: 'evil' }),
      newAudit({ count: -1 }),
      '{"type":"security_event",broken',
      '[{"type":"guard_block"}]',
      newBlock({ gateway: 'caddy', client_ip: 'x'.repeat(100) }),
    ];
    writeFileSync(join(collector.logs, 'hostile.jsonl'), `${hostile.join('\n')}\n`);
    // If the collector split the line after 64 KiB, the second part would be an event.
    const long = `${'x'.repeat(65_536)}${newBlock()}${'x'.repeat(1_000_000)}\n`;
    const invalid = Buffer.concat([Buffer.from('invalid \xff\xfe UTF-8 \x1b[31m\n', 'latin1'), Buffer.from(long)]);
    writeFileSync(join(collector.logs, 'long.log'), invalid);
    const lines = await waitForLines(query, allLines, hostile.length + 2);
    const of = (action: string) => lines.filter(({ fields }) => fields.action === action);
    assert.equal(of('unparsed').length, 11);
    assert.equal(of('blocked').length, 3);
    assert.ok(lines.every(({ fields }) => fields.count === '1'));
    assert.ok(lines.every(({ line }) => line.length <= 65_536));
    for (const { fields } of lines) {
      assert.ok(Object.values(fields).every((value) => value.length <= 256));
      assert.ok(!/evil/.test(`${fields.gateway} ${fields.service} ${fields.mode} ${fields.action}`));
    }
    const marked = of('blocked').filter(({ fields }) => fields.time_source === 'collector');
    assert.equal(marked.length, 2);
    assert.ok(lines.some(({ fields }) => fields.user_agent === '\u001b[2J{{.x}} |= "y" <script>'));
  });
});

describe('hostile clients of the collector', { skip, timeout }, () => {
  it('takes nothing of an OTLP record but its body', async (t) => {
    const { collector, query } = await startStack(t);
    const evil = ['app', 'gateway', 'action', 'service', 'evil'].map((key) => ({
      key,
      value: { stringValue: 'evil' },
    }));
    const line = newBlock();
    const bodies = [{ stringValue: line }, { stringValue: 'evil' }, { kvlistValue: { values: evil } }];
    const logRecords = bodies.map((body) => ({
      ...{ body, attributes: evil, severityText: 'evil', eventName: 'evil', timeUnixNano: '1' },
    }));
    const scopeLogs = [{ scope: { name: 'evil', attributes: evil }, logRecords }];
    const sent = await fetch(`${collector.otlp}/v1/logs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...collector.headers },
      body: JSON.stringify({ resourceLogs: [{ resource: { attributes: evil }, scopeLogs }] }),
    });
    assert.equal(sent.status, 200);
    const lines = await waitForLines(query, allLines, bodies.length);
    assert.ok(lines.every(({ fields }) => !JSON.stringify(fields).includes('evil')));
    assert.equal(lines.find(({ fields }) => fields.action === 'blocked')?.line, line);
  });

  it('has few streams whatever the paths and services are, and counts equal lines', async (t) => {
    const { collector, query } = await startStack(t);
    const file = join(collector.logs, 'many.jsonl');
    const timestamp = currentTime();
    const many = Array.from({ length: 100_000 }, (_, number) => blockLine({ timestamp, path: `/${number}` }));
    const services = Array.from({ length: 1000 }, (_, number) => auditLine({ timestamp, service: `s${number}` }));
    const equal = Array.from({ length: 1000 }, () => blockLine({ timestamp }));
    const all = [...many, ...services, ...equal];
    writeFileSync(file, `${all.join('\n')}\n`);
    await waitForCount(query, allLines, all.length);
    assert.equal(await query.count(allLines), all.length);
    assert.ok((await query.series()).length <= 3);
  });
});
