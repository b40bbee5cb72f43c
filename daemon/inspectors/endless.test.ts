/** Endless lines of either side. The inspector must refuse them or relay them, but not buffer them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { inspectors } from './index.ts';
import type { Side } from './inspector.ts';
import { serviceOf } from './testing/vectors.ts';

const megabyte = 1024 * 1024;
const chunk = Buffer.alloc(65_536, 'A');
const whole = 100 * megabyte;
/** Room for the buffers of both sides and for the test runner. */
const mostKept = 48 * megabyte;

/** The start of a conversation, after which the inspector reads the line. */
const openings: Partial<Record<Protocol, readonly (readonly [Side, string])[]>> = {
  ssh: [['server', 'SSH-2.0-x\r\n']],
  http: [['client', 'GET / HTTP/1.1\r\nX: ']],
  smtp: [
    ['server', '220 a\r\n'],
    ['client', 'EHLO a\r\n'],
    ['server', '250 a\r\n'],
  ],
  imap: [['server', '* OK a\r\n']],
  pop3: [['server', '+OK a\r\n']],
  ftp: [['server', '220 a\r\n']],
  redis: [['client', 'PING\r\n']],
  minecraft: [],
  generic: [],
};

/** Feeds 100 MB without a line end. Stops when the inspector refuses the bytes or has ended its inspection. */
function play(protocol: Protocol, side: Side): void {
  const session = inspectors[protocol].open({
    service: serviceOf(protocol),
    client: '192.0.2.1',
    guard: undefined,
  });
  for (const [from, text] of openings[protocol] ?? []) session.feed(from, Buffer.from(text));
  const before = process.memoryUsage();
  for (let fed = 0; fed < whole && !session.isDone(); fed += chunk.length) {
    const isOver = session.feed(side, chunk).some(({ kind }) => kind === 'violation' || kind === 'denied');
    if (isOver) return;
  }
  const after = process.memoryUsage();
  const kept = after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed;
  assert.ok(kept < mostKept, `${kept} bytes were buffered`);
}

for (const protocol of Object.keys(openings) as Protocol[])
  for (const side of ['client', 'server'] as const)
    test(`${protocol}: bounds 100 MB of the ${side} without a line end`, () => play(protocol, side));
