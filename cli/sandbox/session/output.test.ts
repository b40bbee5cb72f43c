import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { eventExamples } from '../../../contract/events/examples.ts';
import { parseLine, quoteLog, readOutput, type SandboxLine } from './output.ts';

function opened() {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const lines: SandboxLine[] = [];
  return { stdout, stderr, lines, output: readOutput(stdout, stderr, (line) => lines.push(line)) };
}

test('distinguishes lines of the runner and the guard from those of the proxy', () => {
  assert.equal(parseLine('{"type":"sandbox_ready","ms":3}')?.type, 'sandbox_ready');
  for (const text of [
    '{"type":"other"}',
    '{"type":"guard_block"',
    '{"type":"guard_block"}',
    '{"level":"info"}',
    'panic: x',
    '',
  ])
    assert.equal(parseLine(text), undefined, text);
});

test('joins lines from arbitrary chunks and keeps the last line without a line end', async () => {
  const { stdout, stderr, lines, output } = opened();
  for (const part of [
    '{"type":"sandbox_',
    `ready","ms":1}\n${JSON.stringify(eventExamples.blocked)}\nplain`,
    ' text\n',
  ])
    stdout.write(part);
  stdout.end('{"type":"sandbox_exit","reason":"stopped","message":"m","status":0}\n');
  stderr.end('Error: boom');
  const last = await output.ended;
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['sandbox_ready', 'guard_block', 'sandbox_exit'],
  );
  assert.equal(last?.reason, 'stopped');
  assert.deepEqual([...output.tail].sort(), ['Error: boom', 'plain text']);
});

test('keeps only the last lines of a proxy and limits the length of a line', async () => {
  const { stdout, stderr, output } = opened();
  for (let index = 0; index < 50; index++) stderr.write(`line ${index}\n`);
  stderr.end('x'.repeat(200_000));
  stdout.end();
  await output.ended;
  assert.equal(output.tail.length, 20);
  assert.equal(output.tail[18], 'line 49');
  assert.equal(output.tail[19]?.length, 64 * 1024);
});

test('quotes the errors of a structured log and every line of any other log', () => {
  const info = '{"level":"info","ts":1,"msg":"using config"}';
  const error = '{"level":"error","ts":1,"msg":"adapting","error":"no such key"}';
  assert.equal(quoteLog([info, error, 'panic: x']), 'error: adapting: no such key\npanic: x');
  assert.equal(quoteLog([info, info]), 'info: using config\ninfo: using config');
  assert.equal(quoteLog(['{"a":1}', 'plain']), '{"a":1}\nplain');
});
