/** Labels, metadata and times that collector and Loki give to event lines and OTLP records. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type CollectorProcess, sendTo, skip } from '../../artefacts/testing/collector.ts';
import { openExporter } from '../../platform/otlp/endpoint.ts';
import { allLines, currentTime, newAudit, newBlock, timeout, waitForCount, waitForLines } from './collector-lines.ts';
import { startStack } from './loki-query.ts';

const unparsed = { app: 'request-guard', gateway: 'unknown', service: 'unknown', action: 'unparsed', count: '1' };

describe('the collector of the dashboard', { skip, timeout }, () => {
  it('makes labels of few values, metadata of the others, and keeps what it cannot parse', async (t) => {
    const { collector, query } = await startStack(t);
    const lines = {
      block: newBlock({ host: 'example.com' }),
      detect: newBlock({ type: 'guard_detect', gateway: 'nginx', mode: 'detect', rule_id: '', reason: 'limit_length' }),
      summary: JSON.stringify({
        type: 'guard_block_summary',
        timestamp: currentTime(),
        gateway: 'traefik',
        count: 2871,
        clients: [{ client: '192.0.2.1', count: 2871 }],
        others: 0,
      }),
      audit: newAudit({ count: 12 }),
      named: newAudit({ service: 'office', protocol: 'ssh', country_code: '', reason: '' }),
      fault: JSON.stringify({ type: 'fault', timestamp: currentTime(), message: 'accept EMFILE' }),
      other: 'a line of another program',
    };
    writeFileSync(join(collector.logs, 'events.jsonl'), `${Object.values(lines).join('\n')}\n`);
    const read = await waitForLines(query, allLines, Object.keys(lines).length);
    const fieldsOf = (name: keyof typeof lines) => read.find(({ line }) => line === lines[name])?.fields;
    const app = 'request-guard';
    const warn = { severity_text: 'warn', severity_number: '13' };
    const seen = {
      client_ip: '192.0.2.1',
      path: '/.env',
      method: 'GET',
      host: 'example.com',
      user_agent: 'curl/8',
      reference: '7K3QF2M9TD',
    };
    const answer = { response: 'json', status: '403', count: '1' };
    assert.deepEqual(fieldsOf('block'), {
      ...{ app, gateway: 'caddy', service: 'http', mode: 'enforce', action: 'blocked', ...warn, ...seen, ...answer },
      ...{ rule_id: 'env-file', reason: 'block_pattern_match' },
    });
    assert.deepEqual(fieldsOf('detect'), {
      ...{ app, gateway: 'nginx', service: 'http', mode: 'detect', action: 'detected', ...seen, ...answer },
      ...{ rule_id: 'limit_length', reason: 'limit_length', severity_text: 'info', severity_number: '9' },
    });
    assert.deepEqual(fieldsOf('summary'), {
      ...{ app, gateway: 'traefik', service: 'http', action: 'blocked', count: '2871', ...warn },
    });
    const ssh = { app, gateway: 'tcp-guard', service: 'ssh', action: 'blocked', client_ip: '192.0.2.1', ...warn };
    assert.deepEqual(fieldsOf('audit'), {
      ...ssh,
      ...{ protocol: 'ssh', country: 'DE', reason: 'ban', rule_id: 'ban', count: '12' },
    });
    assert.deepEqual(fieldsOf('named'), {
      ...{ ...ssh, protocol: 'ssh', rule_id: 'other', service_name: 'office', count: '1' },
    });
    assert.deepEqual(fieldsOf('fault'), {
      ...{ ...unparsed, gateway: 'tcp-guard', file: 'events.jsonl', severity_text: 'error', severity_number: '17' },
    });
    assert.deepEqual(fieldsOf('other'), { ...unparsed, file: 'events.jsonl' });
  });
});

interface LogRecord {
  readonly body: { readonly stringValue: string };
  readonly observedTimeUnixNano?: string;
}

async function post({ otlp, headers: required }: CollectorProcess, logRecords: readonly LogRecord[]): Promise<void> {
  const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
  const headers = { 'Content-Type': 'application/json', ...required };
  const { status } = await fetch(`${otlp}/v1/logs`, { method: 'POST', headers, body });
  assert.equal(status, 200);
}

describe('records that the collector receives by OTLP', { skip, timeout }, () => {
  it('counts equal lines of one millisecond', async (t) => {
    const { collector, query } = await startStack(t);
    sendTo(t, collector);
    const exporter = await openExporter({ service: 'x', env: process.env, log: assert.fail });
    const line = newBlock();
    for (let number = 0; number < 2000; number++) exporter?.send(line);
    await waitForCount(query, allLines, 2000);
    await exporter?.close();
    assert.equal(await query.count(allLines), 2000);
  });

  it('keeps the ones that say a wrong time', async (t) => {
    const { collector, query } = await startStack(t);
    const wrong = [1n, 10n ** 18n, 17n * 10n ** 18n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n].map(String);
    const lines = ['not an event', newBlock({ timestamp: 'x' }), newBlock({ timestamp: '2026-01-01T00:00:00Z' })];
    for (const observedTimeUnixNano of wrong)
      await post(
        collector,
        lines.map((stringValue) => ({ body: { stringValue }, observedTimeUnixNano })),
      );
    await waitForLines(query, allLines, wrong.length * lines.length);
  });

  it('leaves an event in its millisecond, whenever it was observed', async (t) => {
    const { collector, query } = await startStack(t);
    const timestamp = currentTime();
    const body = { stringValue: newBlock({ timestamp }) };
    await post(collector, [{ body, observedTimeUnixNano: String(2n ** 64n - 1n) }]);
    const [line] = await waitForLines(query, allLines, 1);
    assert.equal(line?.at, Date.parse(timestamp));
  });
});
