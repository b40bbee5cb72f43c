import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { ExternalError } from '../platform/errors.ts';
import { freePort } from '../platform/free-ports.ts';
import { checkPorts } from './ports.ts';

/** Listens on a port that no other test uses on any address. */
async function listen(t: { after: (end: () => void) => void }, host: string): Promise<number> {
  const port = await freePort();
  const server = createServer().listen(port, host);
  t.after(() => server.close());
  await once(server, 'listening');
  return port;
}

test('reports a port in use and suggests another one', async (t) => {
  const port = await listen(t, '127.0.0.1');
  await assert.rejects(checkPorts([port]), (error: ExternalError) => {
    assert.ok(error instanceof ExternalError);
    assert.equal(error.code, 'port_in_use');
    assert.match(error.message, new RegExp(`^port ${port} is in use: .* listens on 127\\.0\\.0\\.1:${port}$`));
    assert.match(error.hint ?? '', new RegExp(`--port ${port + 1}`));
    return true;
  });
});

test('accepts a port that is free on all loopback addresses', async (t) => {
  const port = await listen(t, '127.0.0.2');
  assert.equal(typeof (await checkPorts([port])).ipv6, 'boolean');
});
