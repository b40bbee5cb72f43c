import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { TestContext } from 'node:test';

type AnyServer = Server & { readonly closeAllConnections?: () => void };

/** Listens on a free port until the test ends. Returns the port. */
export async function listen(
  t: Pick<TestContext, 'after'>,
  server: AnyServer,
  host: '127.0.0.1' | '0.0.0.0' = '127.0.0.1',
): Promise<number> {
  await once(server.listen(0, host), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}
