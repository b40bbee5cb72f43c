import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { ExternalError } from '../../../platform/errors.ts';
import { checkPorts } from './ports.ts';
import { type PortName, readSettings, type Settings } from './settings.ts';

async function listening(t: TestContext): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function withPort(name: PortName, port: number): Settings {
  const settings = readSettings('/nowhere/stack', {});
  return { ...settings, ports: { ...settings.ports, [name]: port } };
}

const isLinux = process.platform === 'linux';

describe('the ports of the stack', () => {
  it('are refused in use, with the process and another port', { skip: isLinux ? false : 'needs /proc' }, async (t) => {
    const port = await listening(t);
    await assert.rejects(checkPorts(['loki'], withPort('loki', port), []), (error: ExternalError) => {
      assert.equal(error.code, 'port_in_use');
      assert.match(error.message, new RegExp(`^port ${port} is in use: \\S+ \\(pid ${process.pid}\\) listens on 127`));
      assert.match(error.hint ?? '', new RegExp(`--loki-port ${port + 1}$`));
      return true;
    });
  });

  it('without an option are changed in the file of settings', async (t) => {
    const port = await listening(t);
    const hint = `GUARD_OTLP_GRPC_PORT=${port + 1} in /nowhere/stack/.env`;
    await assert.rejects(
      checkPorts(['otlpGrpc'], withPort('otlpGrpc', port), []),
      ({ hint: given }: ExternalError) => given?.endsWith(hint) === true,
    );
  });

  it('are free where the stack itself listens', async (t) => {
    const port = await listening(t);
    await checkPorts(['loki'], withPort('loki', port), [port]);
  });
});
