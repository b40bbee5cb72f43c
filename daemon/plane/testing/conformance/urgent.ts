/** Bytes around an out-of-band byte, which FTP and Telnet clients send with an abort (RFC 959 4.1.3, RFC 6093). */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { shutdownWrite } from '../../../process/libc/abi.ts';
import type { Libc } from '../../../process/libc/libc.ts';
import { loadFfi, openLibc } from '../../../process/libc/open.ts';
import type { Connection } from '../../plane.ts';
import { nextText, relayPair, type Subject, test } from './rig.ts';

const outOfBand = 1; // MSG_OOB
const megabyte = 1024 * 1024;
const [warm, bulk] = [16 * megabyte, megabyte];

interface Raw {
  readonly urgent: (socket: Socket) => void;
  readonly end: (socket: Socket) => void;
}

function rawCalls(libc: Libc): Raw {
  const { functions } = loadFfi().dlopen(null, {
    send: { arguments: ['i32', 'buffer', 'u64', 'i32'], return: 'i32' },
  });
  const descriptor = (socket: Socket) => (socket as unknown as { _handle: { fd: number } })._handle.fd;
  return {
    urgent: (socket) => assert.equal(functions.send(descriptor(socket), Buffer.from('!'), 1n, outOfBand), 1),
    end: (socket) => assert.equal(libc.shutdown(descriptor(socket), shutdownWrite), 0),
  };
}

export function urgentTests<C extends Connection>({ create }: Subject<C>): void {
  const opened = openLibc();
  if ('missing' in opened) return;
  const raw = rawCalls(opened.libc);

  test('bytes after one that is out of band are relayed at once', async (t) => {
    const { client, upstream } = await relayPair(t, create());
    for (const round of ['one', 'two']) {
      client.write(`${round},`); // the plane reads after this turn
      raw.urgent(client);
      client.write('next');
      assert.equal(await nextText(upstream, 8), `${round},next`);
    }
  });

  for (const isEnd of [false, true])
    test(`a byte out of band during a bulk transfer${isEnd ? ' that ends' : ''} ends nothing`, async (t) => {
      let last: Socket | undefined;
      let seen = 0;
      const inspect = (_side: string, chunk: Uint8Array) => {
        seen += chunk.length;
        if (!last || seen < warm + bulk / 2) return 0;
        raw.urgent(last); // the byte arrives while the plane reads
        last.write('end');
        if (isEnd) raw.end(last);
        return Number.POSITIVE_INFINITY;
      };
      const { client, upstream } = await relayPair(t, create(), { inspect });
      client.write(Buffer.alloc(warm)); // much data, so that the kernel enlarges its buffers
      await nextText(upstream, warm);
      last = client;
      client.write(Buffer.alloc(bulk));
      assert.equal((await nextText(upstream, bulk + 3)).slice(-3), 'end');
    });
}
