/** Tests when the plane acknowledges the upstream's bytes immediately, and when the acknowledgment waits for data. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { option, type SocketOption } from '../../process/libc/abi.ts';
import { Libc } from '../../process/libc/libc.ts';
import { loadFfi } from '../../process/libc/open.ts';
import { skip } from '../../process/libc/testing/libc.ts';
import { connectTo, dial, listenUntilEnd, nextText } from '../testing/conformance/rig.ts';
import type { LinuxConnection } from './connection.ts';
import { createLinuxPlane } from './plane.ts';

/** Records the values of TCP_QUICKACK. */
class RecordingLibc extends Libc {
  readonly quickAcks: number[] = [];

  override setOption(fd: number, name: SocketOption, value: number, second?: number): number {
    if (name === option.quickAck) this.quickAcks.push(value);
    return super.setOption(fd, name, value, second);
  }
}

interface Scene {
  readonly name: string;
  /** The bytes that the client sends before the relay starts. */
  readonly sends: string;
  /** How many of these bytes are removed, like a PROXY header, before the relay starts. */
  readonly skipped: number;
  /** The bytes that the client sends later. */
  readonly later: string;
  /** The response of the upstream, and whether its end follows immediately. */
  readonly response: string;
  readonly ends: boolean;
  /** The expected values of TCP_QUICKACK, in order. */
  readonly quickAcks: readonly number[];
}

const silent = { skipped: 0, later: '', response: '', ends: false };
const request = 'request';
const response = 'response';
const scenes: readonly Scene[] = [
  { ...silent, name: 'no bytes from either side', sends: '', quickAcks: [0, 1] },
  { ...silent, name: 'the client sent only a PROXY header', sends: 'PROXY', skipped: 5, quickAcks: [0, 1] },
  { ...silent, name: 'a response', sends: request, response, quickAcks: [0, 1] },
  { ...silent, name: 'a response with its end', sends: request, response, ends: true, quickAcks: [0] },
  { ...silent, name: 'a response to a late request', sends: '', later: request, response, quickAcks: [0, 1, 1] },
];

const bytes = (length: number) => ({
  limit: 64,
  timeoutMs: 60_000,
  isEnough: (known: Uint8Array) => known.length === length,
});

/** Responds as the upstream. No event loop runs between the two calls, so the end arrives with the last bytes. */
async function respond(connection: LinuxConnection, scene: Scene): Promise<void> {
  if (scene.response) {
    await connection.peek(bytes(request.length));
    connection.write(Buffer.from(scene.response));
  }
  if (scene.ends) connection.finishSending();
  connection.discard();
}

/** Accepts a client and waits for its first bytes. */
async function accepted(t: TestContext, plane: ReturnType<typeof createLinuxPlane>, { sends, skipped }: Scene) {
  const { promise, resolve } = Promise.withResolvers<LinuxConnection>();
  const socket = dial(await listenUntilEnd(t, plane, resolve));
  t.after(() => void socket.destroy());
  const client = await promise;
  if (sends === '') return { socket, client };
  socket.write(sends);
  await client.peek(bytes(sends.length));
  client.skip(skipped);
  return { socket, client };
}

for (const scene of scenes)
  test(`${scene.name}: TCP_QUICKACK ${scene.quickAcks.join(', then ')}`, { skip, timeout: 60_000 }, async (t) => {
    const port = await listenUntilEnd(t, createLinuxPlane(new Libc(loadFfi())), (far) => void respond(far, scene));
    const libc = new RecordingLibc(loadFfi());
    const plane = createLinuxPlane(libc);
    const { socket, client } = await accepted(t, plane, scene);
    const upstream = await connectTo(plane, { ip: '127.0.0.1', port });
    plane.relay(client, upstream, { inspect: undefined, ended: () => {} });
    if (scene.later) await until(() => libc.quickAcks.length === 2);
    socket.write(scene.later);
    if (scene.response) assert.equal(await nextText(socket, scene.response.length), scene.response);
    await until(() => libc.quickAcks.length >= scene.quickAcks.length);
    assert.deepEqual(libc.quickAcks, scene.quickAcks);
    socket.destroy();
    await until(() => plane.counters().open === 0);
  });
