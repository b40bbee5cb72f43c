import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { ExternalError } from '../../platform/errors.ts';
import { listenError } from '../../platform/free-ports.ts';
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
    const error = await checkPorts(['loki'], withPort('loki', port), []).catch((one: ExternalError) => one);
    assert.ok(error instanceof ExternalError);
    assert.equal(error.code, 'port_in_use');
    assert.match(error.message, new RegExp(`^port ${port} is in use: \\S+ \\(pid ${process.pid}\\) listens on 127`));
    const [, another] = /--loki-port (\d+)$/.exec(error.hint ?? '') ?? assert.fail(error.hint);
    assert.equal(await listenError(Number(another), '127.0.0.1'), undefined);
  });

  it('without an option are changed in the file of settings', async (t) => {
    const port = await listening(t);
    await assert.rejects(checkPorts(['otlpGrpc'], withPort('otlpGrpc', port), []), ({ hint = '' }: ExternalError) =>
      /: GUARD_OTLP_GRPC_PORT=\d+ in \/nowhere\/stack\/\.env$/.test(hint),
    );
  });

  it('are never proposed when the stack uses them for another service', async (t) => {
    const port = await listening(t);
    const { ports, ...settings } = withPort('otlpGrpc', port);
    const used = { ...settings, ports: { ...ports, otlpHttp: port + 1, loki: port + 2 } };
    await assert.rejects(checkPorts(['otlpGrpc'], used, []), ({ hint = '' }: ExternalError) => {
      const proposed = Number(/GUARD_OTLP_GRPC_PORT=(\d+)/.exec(hint)?.[1]);
      return proposed > port + 2;
    });
  });

  it('are free where the stack itself listens', async (t) => {
    const port = await listening(t);
    await checkPorts(['loki'], withPort('loki', port), [port]);
  });
});
