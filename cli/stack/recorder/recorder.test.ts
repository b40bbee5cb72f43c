import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventExamples } from '../../../contract/events/examples.ts';
import type { Context } from '../../program/context.ts';
import { parseLine } from '../../sandbox/session/output.ts';
import { openEventFile } from './event-file.ts';
import { openRecorder } from './recorder.ts';

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'guard-recorder-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Creates a home folder with a stack. A server of this test is the collector of the stack. */
async function stack(t: TestContext) {
  const home = folder(t);
  const logs = join(home, '.guard/observability/logs');
  mkdirSync(logs, { recursive: true });
  const server = createServer((_, response) => response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const port = (server.address() as AddressInfo).port;
  writeFileSync(join(logs, '../.env'), `GUARD_COLLECTOR_HEALTH_PORT=${port}\n`);
  const stop = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  t.after(stop);
  return { home, logs, stop };
}

const context = (home: string, said: string[] = []): Context =>
  ({ env: { HOME: home }, stderr: { write: (text: string) => said.push(text) } }) as unknown as Context;

const lines = [
  `${JSON.stringify(eventExamples.blocked).slice(0, -1)},"x":"\\u007f"}`,
  JSON.stringify(eventExamples.summary),
  '{"type":"sandbox_ready","ms":5}',
  JSON.stringify(eventExamples.audit),
];

async function recorded(home: string): Promise<void> {
  const { onLine, close } = await openRecorder('caddy-8080', context(home));
  for (const line of lines) onLine(parseLine(line) as Parameters<typeof onLine>[0], line);
  await close();
}

test('appends the event lines of a sandbox, unchanged, while the stack is running', async (t) => {
  const { home, logs, stop } = await stack(t);
  const file = join(logs, 'sandbox-caddy-8080.jsonl');
  await recorded(home);
  const events = [lines[0], lines[1], lines[3]].map((line) => `${line}\n`).join('');
  assert.equal(readFileSync(file, 'utf8'), events);
  await recorded(home);
  assert.equal(readFileSync(file, 'utf8'), events + events);
  rmSync(file);
  await stop();
  await recorded(home);
  assert.equal(existsSync(file), false);
});

test('says why the dashboard gets no events, and goes on', async (t) => {
  const { home, logs } = await stack(t);
  const said: string[] = [];
  mkdirSync(join(logs, 'sandbox-caddy-8080.jsonl'));
  const { onLine, close } = await openRecorder('caddy-8080', context(home, said));
  onLine(parseLine(lines[0] as string) as Parameters<typeof onLine>[0], lines[0] as string);
  await close();
  assert.match(said.join(''), /^warning: the dashboard gets no events of this sandbox: EISDIR/);
});

test('a file of events has a bounded size', async (t) => {
  const logs = folder(t);
  const file = await openEventFile(logs, 'x.jsonl', assert.fail, 1000);
  for (let number = 0; number < 100; number++) file?.send(`{"number":${number}}`.padEnd(99));
  await file?.close();
  const [last, before] = ['x.jsonl', 'x.jsonl.1'].map((name) => readFileSync(join(logs, name), 'utf8'));
  assert.equal(before?.length, 1000);
  assert.match(`${before}${last}`, /"number":90\b[\s\S]*"number":99\b/);
});
