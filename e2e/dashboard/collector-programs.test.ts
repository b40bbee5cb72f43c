import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sendTo, skip } from '../../artefacts/testing/collector.ts';
import { get, startCaddy } from '../caddy/process.ts';
import { startUpstream } from '../support/greeting.ts';
import { fewProbes, freePort, skip as noRuntime, start, temporaryFile } from '../support/guardcli.ts';
import { startGuard } from '../tcp-guard/process.ts';
import { timeout, waitForLines } from './collector-lines.ts';
import { startStack } from './loki-query.ts';

describe('events of real programs in the collector', { skip, timeout }, () => {
  it('reads the events of a real gateway', async (t) => {
    const { collector, query } = await startStack(t);
    const events = join(collector.logs, 'caddy.jsonl');
    const { port } = await startCaddy(t, { events });
    for (const path of ['/.env', '/.git/config', '/a/../etc/passwd']) assert.equal(await get(port, path), 403);
    const lines = await waitForLines(query, '{gateway="caddy", mode="enforce", action="blocked"}', 3);
    const written = readFileSync(events, 'utf8').trim().split('\n');
    assert.deepEqual(lines.map(({ line }) => line).sort(), written.sort());
  });

  it('makes the same of an audit line that tcp-guard sends by OTLP', async (t) => {
    const { collector, query } = await startStack(t);
    sendTo(t, collector);
    const log_file = join(collector.logs, 'audit.jsonl');
    const listen = await freePort();
    const services = { greeting: { listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${await startUpstream(t)}` } };
    const guard = await startGuard(t, { services }, { log_file });
    assert.equal((await guard.ask('POST', '/ban', { ip: '192.0.2.7', reason: 'a test' })).status < 300, true);
    const lines = await waitForLines(query, '{gateway="tcp-guard", action="banned"}', 2);
    const [file, sent] = lines.map(({ fields, line }) => ({ fields, line }));
    assert.deepEqual(sent, file);
    assert.equal(file?.fields.client_ip, '192.0.2.7');
    // Attributes of the OTLP client itself become neither labels nor metadata.
    assert.ok(!Object.keys(file?.fields ?? {}).some((name) => /service_name|scope|telemetry/.test(name)));
  });

  it('receives every event of a sandbox by OTLP', { skip: noRuntime }, async (t) => {
    const { collector, query } = await startStack(t);
    const port = await freePort();
    const policy = temporaryFile('guard.json', {});
    const env = { ...fewProbes, ...collector.settings };
    const running = start(t, ['sandbox', 'caddy', policy, '--json', '--port', String(port)], env);
    await running.says('sandbox_serving');
    const paths = ['/.env', '/.git/config', '/wp-config.php.bak'];
    for (const path of paths) assert.equal(await get(port, path), 403);
    await running.says('wp-config');
    const lines = await waitForLines(query, '{gateway="caddy", action="blocked"}', paths.length);
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
