/** The collector and Loki of the dashboard: what becomes of event lines, whatever they hold and whatever fails. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { auditLine, blockLine } from '../cli/dashboard/report/examples.ts';
import { openExporter } from '../platform/otlp/endpoint.ts';
import { until } from '../platform/until.ts';
import { skip } from '../sandbox-images/testing/collector.ts';
import { get, startCaddy } from './caddy-process.ts';
import { startUpstream } from './greeting.ts';
import { type Found, type Query, startStack } from './loki-query.ts';
import { fewProbes, freePort, skip as noRuntime, start, temporary } from './support.ts';
import { startGuard } from './tcp-guard-process.ts';

const timeout = 600_000;
const now = () => new Date().toISOString();
const block = (changes: object = {}) => blockLine({ timestamp: now(), ...changes });
const audit = (changes: object = {}) => auditLine({ timestamp: now(), ...changes });

const everything = '{app="request-guard"}';

/** The lines when there are as many as expected. */
async function found(query: Query, selector: string, count: number): Promise<Found[]> {
  let lines: Found[] = [];
  await until(async () => {
    lines = await query.lines(selector);
    return lines.length >= count;
  }, `${count} lines of ${selector}`);
  assert.equal(lines.length, count);
  return lines;
}

const counted = (query: Query, selector: string, count: number) =>
  until(async () => (await query.count(selector)) >= count, `${count} lines of ${selector}`);

const unparsed = { app: 'request-guard', gateway: 'unknown', service: 'unknown', action: 'unparsed', count: '1' };

describe('the collector of the dashboard', { skip, timeout }, () => {
  it('makes labels of few values, metadata of the others, and keeps what it cannot parse', async (t) => {
    const { collector, query } = await startStack(t);
    const lines = {
      block: block({ host: 'example.com' }),
      detect: block({ type: 'guard_detect', gateway: 'nginx', mode: 'detect', rule_id: '', reason: 'limit_length' }),
      summary: JSON.stringify({ type: 'guard_block_summary', timestamp: now(), gateway: 'traefik', count: 2871 }),
      audit: audit({ count: 12 }),
      named: audit({ service: 'office', protocol: 'ssh', country_code: '', reason: '' }),
      fault: JSON.stringify({ type: 'fault', timestamp: now(), message: 'accept EMFILE' }),
      other: 'a line of another program',
    };
    writeFileSync(join(collector.logs, 'events.jsonl'), `${Object.values(lines).join('\n')}\n`);
    const read = await found(query, everything, Object.keys(lines).length);
    const fieldsOf = (name: keyof typeof lines) => read.find(({ line }) => line === lines[name])?.fields;
    const app = 'request-guard';
    const warn = { severity_text: 'warn', severity_number: '13' };
    const seen = { client_ip: '192.0.2.1', path: '/.env', method: 'GET', host: 'example.com', user_agent: 'x' };
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

describe('hostile lines in the collector', { skip, timeout }, () => {
  it('makes no labels of hostile lines, and bounds lines, values and times', async (t) => {
    const { collector, query } = await startStack(t);
    const hostile = [
      '{"type":"guard_block","gateway":{"a":1}}',
      block({ gateway: 'evil', mode: 'x', user_agent: { a: [1] }, status: 'x', timestamp: 5 }),
      block({ timestamp: '2099-01-01T00:00:00.000Z', path: `/${'p'.repeat(5000)}` }),
      block({ timestamp: '2020-01-01T00:00:00.000Z', user_agent: '\u001b[2J{{.x}} |= "y" <script>' }),
      audit({ action: 'evil' }),
      audit({ service: 'evil', protocol: 'evil' }),
      audit({ count: -1 }),
      '{"type":"security_event",broken',
      '[{"type":"guard_block"}]',
      block({ gateway: 'caddy', client_ip: 'x'.repeat(100) }),
    ];
    writeFileSync(join(collector.logs, 'hostile.jsonl'), `${hostile.join('\n')}\n`);
    // Its second part begins like an event, where a line of 64 KiB would be split.
    const long = `${'x'.repeat(65_536)}${block()}${'x'.repeat(1_000_000)}\n`;
    const invalid = Buffer.concat([Buffer.from('invalid \xff\xfe UTF-8 \x1b[31m\n', 'latin1'), Buffer.from(long)]);
    writeFileSync(join(collector.logs, 'long.log'), invalid);
    const lines = await found(query, everything, hostile.length + 2);
    const of = (action: string) => lines.filter(({ fields }) => fields.action === action);
    assert.equal(of('unparsed').length, 8);
    assert.equal(of('blocked').length, 4);
    assert.ok(lines.every(({ fields }) => fields.count === '1'));
    assert.ok(lines.every(({ line }) => line.length <= 65_536));
    for (const { fields } of lines) {
      assert.ok(Object.values(fields).every((value) => value.length <= 256));
      assert.ok(!/evil/.test(`${fields.gateway} ${fields.service} ${fields.mode} ${fields.action}`));
    }
    const marked = of('blocked').filter(({ fields }) => fields.time_source === 'collector');
    assert.equal(marked.length, 3);
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
    const line = block();
    const bodies = [{ stringValue: line }, { stringValue: 'evil' }, { kvlistValue: { values: evil } }];
    const logRecords = bodies.map((body) => ({
      ...{ body, attributes: evil, severityText: 'evil', eventName: 'evil', timeUnixNano: '1' },
    }));
    const scopeLogs = [{ scope: { name: 'evil', attributes: evil }, logRecords }];
    const sent = await fetch(`${collector.otlp}/v1/logs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ resourceLogs: [{ resource: { attributes: evil }, scopeLogs }] }),
    });
    assert.equal(sent.status, 200);
    const lines = await found(query, everything, bodies.length);
    assert.ok(lines.every(({ fields }) => !JSON.stringify(fields).includes('evil')));
    assert.equal(lines.find(({ fields }) => fields.action === 'blocked')?.line, line);
  });

  it('has few streams whatever the paths and services are, and counts equal lines', async (t) => {
    const { collector, query } = await startStack(t);
    const file = join(collector.logs, 'many.jsonl');
    const timestamp = now();
    const many = Array.from({ length: 100_000 }, (_, number) => blockLine({ timestamp, path: `/${number}` }));
    const services = Array.from({ length: 1000 }, (_, number) => auditLine({ timestamp, service: `s${number}` }));
    const equal = Array.from({ length: 1000 }, () => blockLine({ timestamp }));
    const all = [...many, ...services, ...equal];
    writeFileSync(file, `${all.join('\n')}\n`);
    await counted(query, everything, all.length);
    assert.equal(await query.count(everything), all.length);
    assert.ok((await query.series()).length <= 3);
  });
});

interface LogRecord {
  readonly body: { readonly stringValue: string };
  readonly observedTimeUnixNano?: string;
}

async function post(otlp: string, logRecords: readonly LogRecord[]): Promise<void> {
  const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
  const headers = { 'Content-Type': 'application/json' };
  const { status } = await fetch(`${otlp}/v1/logs`, { method: 'POST', headers, body });
  assert.equal(status, 200);
}

describe('records that the collector receives by OTLP', { skip, timeout }, () => {
  it('counts equal lines of one millisecond', async (t) => {
    const { collector, query } = await startStack(t);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.otlp };
    const exporter = await openExporter({ service: 'x', env, log: assert.fail });
    const line = block();
    for (let number = 0; number < 2000; number++) exporter?.send(line);
    await counted(query, everything, 2000);
    await exporter?.close();
    assert.equal(await query.count(everything), 2000);
  });

  it('keeps the ones that say a wrong time', async (t) => {
    const { collector, query } = await startStack(t);
    const wrong = [1n, 10n ** 18n, 17n * 10n ** 18n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n].map(String);
    const lines = ['not an event', block({ timestamp: 'x' }), block({ timestamp: '2026-01-01T00:00:00Z' })];
    for (const observedTimeUnixNano of wrong)
      await post(
        collector.otlp,
        lines.map((stringValue) => ({ body: { stringValue }, observedTimeUnixNano })),
      );
    await found(query, everything, wrong.length * lines.length);
  });

  it('leaves an event in its millisecond, whenever it was observed', async (t) => {
    const { collector, query } = await startStack(t);
    const timestamp = now();
    const body = { stringValue: block({ timestamp }) };
    await post(collector.otlp, [{ body, observedTimeUnixNano: String(2n ** 64n - 1n) }]);
    const [line] = await found(query, everything, 1);
    assert.equal(line?.at, Date.parse(timestamp));
  });
});

describe('the collector while files and Loki change', { skip, timeout }, () => {
  it('loses nothing when files are renamed or copied and truncated', async (t) => {
    const { collector, query } = await startStack(t);
    const [renamed, copied] = ['renamed.jsonl', 'copied.jsonl'].map((name) => join(collector.logs, name)) as [
      string,
      string,
    ];
    const write = (file: string, from: number, to: number) => {
      for (let n = from; n < to; n++) appendFileSync(file, `${block({ path: `/${n}`, host: file })}\n`);
    };
    write(renamed, 0, 50);
    write(copied, 0, 50);
    await counted(query, everything, 100);
    write(renamed, 50, 100);
    renameSync(renamed, `${renamed}.1`);
    write(`${renamed}.1`, 100, 150);
    write(renamed, 150, 200);
    write(copied, 50, 100);
    copyFileSync(copied, `${copied}.1`);
    truncateSync(copied);
    writeFileSync(`${copied}.2.gz`, 'compressed\n'.repeat(50));
    write(copied, 100, 200);
    await counted(query, everything, 400);
    const paths = (await query.lines(everything)).map(({ fields }) => `${fields.host} ${fields.path}`);
    assert.equal(new Set(paths).size, 400);
    assert.equal(paths.length, 400);
  });

  it('sends what Loki could not take, once Loki is back, and continues where it ended', async (t) => {
    const { loki, collector, query } = await startStack(t);
    const file = join(collector.logs, 'events.jsonl');
    const write = (from: number, to: number) => {
      const lines = Array.from({ length: to - from }, (_, n) => block({ path: `/${from + n}` }));
      appendFileSync(file, `${lines.join('\n')}\n`);
    };
    write(0, 1000);
    await counted(query, everything, 1000);
    await loki.stop();
    write(1000, 2000);
    await collector.stop('SIGKILL');
    write(2000, 3000);
    await collector.start();
    write(3000, 4000);
    await collector.stop();
    await collector.start();
    await loki.start();
    await counted(query, everything, 4000);
    assert.equal(await query.count(everything), 4000);
  });
});

describe('the collector under load', { skip, timeout }, () => {
  it('loses nothing at 5,000 events a second while Loki restarts', async (t) => {
    const { loki, collector, query } = await startStack(t);
    const file = join(collector.logs, 'events.jsonl');
    let written = 0;
    let restarted: Promise<void> | undefined;
    for await (const _ of setInterval(100)) {
      const lines = Array.from({ length: 500 }, (_, n) => block({ path: `/${written + n}` }));
      appendFileSync(file, `${lines.join('\n')}\n`);
      written += lines.length;
      if (written === 25_000) restarted = loki.stop().then(loki.start);
      if (written === 75_000) break;
    }
    await restarted;
    await counted(query, everything, written);
    assert.equal(await query.count(everything), written);
  });
});

describe('events of real programs in the collector', { skip, timeout }, () => {
  it('reads the events of a real gateway', async (t) => {
    const { collector, query } = await startStack(t);
    const events = join(collector.logs, 'caddy.jsonl');
    const { port } = await startCaddy(t, { events });
    for (const path of ['/.env', '/.git/config', '/a/../etc/passwd']) assert.equal(await get(port, path), 403);
    const lines = await found(query, '{gateway="caddy", mode="enforce", action="blocked"}', 3);
    const written = readFileSync(events, 'utf8').trim().split('\n');
    assert.deepEqual(lines.map(({ line }) => line).sort(), written.sort());
  });

  it('makes the same of an audit line that tcp-guard sends by OTLP', async (t) => {
    const { collector, query } = await startStack(t);
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.otlp;
    t.after(() => delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT);
    const log_file = join(collector.logs, 'audit.jsonl');
    const listen = await freePort();
    const services = { greeting: { listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${await startUpstream(t)}` } };
    const guard = await startGuard(t, { services }, { log_file });
    assert.equal((await guard.ask('POST', '/ban', { ip: '192.0.2.7', reason: 'a test' })).status < 300, true);
    const lines = await found(query, '{gateway="tcp-guard", action="banned"}', 2);
    const [file, sent] = lines.map(({ fields, line }) => ({ fields, line }));
    assert.deepEqual(sent, file);
    assert.equal(file?.fields.client_ip, '192.0.2.7');
    // What an OTLP client says about itself is neither a label nor metadata.
    assert.ok(!Object.keys(file?.fields ?? {}).some((name) => /service_name|scope|telemetry/.test(name)));
  });

  it('receives every event of a sandbox by OTLP', { skip: noRuntime }, async (t) => {
    const { collector, query } = await startStack(t);
    const port = await freePort();
    const policy = temporary('guard.json', {});
    const env = { ...fewProbes, OTEL_EXPORTER_OTLP_ENDPOINT: collector.otlp };
    const running = start(t, ['sandbox', 'caddy', policy, '--json', '--port', String(port)], env);
    await running.says('sandbox_serving');
    const paths = ['/.env', '/.git/config', '/wp-config.php.bak'];
    for (const path of paths) assert.equal(await get(port, path), 403);
    await running.says('wp-config');
    const lines = await found(query, '{gateway="caddy", action="blocked"}', paths.length);
    running.child.kill('SIGINT');
    await running.ended;
    assert.deepEqual(lines.map(({ fields }) => fields.path).sort(), paths.sort());
  });

  it('refuses no start of tcp-guard while no collector listens, and says what was lost', async (t) => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${await freePort()}`;
    t.after(() => delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT);
    const guard = await startGuard(t, {});
    await guard.ask('POST', '/ban', { ip: '192.0.2.7', reason: 'a test' });
    guard.signal('SIGTERM');
    await guard.ended;
    assert.match(guard.stderr(), /events that were not sent to http.*: [1-9]/);
  });
});
