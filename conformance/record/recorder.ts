/** A relay that records the bytes of both sides as steps of a vector. */
import { connect, createServer, type Socket } from 'node:net';
import type { Side } from '../../daemon/inspectors/inspector.ts';
import type { Step } from '../../daemon/inspectors/testing/vectors.ts';

export interface Recording {
  readonly steps: Step[];
  readonly startedAt: number;
  endedAt: number;
  bytesIn: number;
  bytesOut: number;
}

export interface Relay {
  readonly port: number;
  readonly recordings: readonly Recording[];
  /** Resolves when every connection has ended. */
  readonly settled: () => Promise<void>;
  readonly close: () => void;
}

const isText = (bytes: Buffer) =>
  bytes.every((byte) => byte === 9 || byte === 10 || byte === 13 || (byte > 31 && byte < 127));

/** Printable bytes become text, so that changes are visible in review. */
const stepOf = (from: Side, bytes: Buffer): Step =>
  isText(bytes) ? { from, text: bytes.toString('latin1') } : { from, base64: bytes.toString('base64') };

function addStep({ steps }: Recording, from: Side, bytes: Buffer): void {
  const last = steps.at(-1);
  const before =
    last?.from === from ? Buffer.from(last.base64 ?? last.text ?? '', last.base64 ? 'base64' : 'latin1') : undefined;
  if (before) steps[steps.length - 1] = stepOf(from, Buffer.concat([before, bytes]));
  else steps.push(stepOf(from, bytes));
}

function relayBytes(from: Socket, to: Socket, note: (bytes: Buffer) => void): void {
  from.on('data', (bytes: Buffer) => {
    note(bytes);
    to.write(bytes);
  });
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
}

export async function startRelay(upstream: number): Promise<Relay> {
  const recordings: Recording[] = [];
  const ends: Promise<void>[] = [];
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const recording: Recording = { steps: [], startedAt: Date.now(), endedAt: 0, bytesIn: 0, bytesOut: 0 };
    recordings.push(recording);
    const target = connect({ port: upstream, host: '127.0.0.1', allowHalfOpen: true });
    relayBytes(client, target, (bytes) => {
      recording.bytesIn += bytes.length;
      addStep(recording, 'client', bytes);
    });
    relayBytes(target, client, (bytes) => {
      recording.bytesOut += bytes.length;
      addStep(recording, 'server', bytes);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(promise);
    client.on('close', () => {
      recording.endedAt = Date.now();
      resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { port, recordings, settled: async () => void (await Promise.all(ends)), close: () => server.close() };
}
