import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Context } from '../../program/context.ts';
import { readSettings } from '../stack/settings.ts';
import { openInGrafana } from './browser.ts';
import { initialWatch } from './state.ts';

test('the URL of a dashboard is shown while Grafana responds, and otherwise what to do', async (t) => {
  const server = createServer((_, response) => response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const settings = readSettings('/nowhere', { GUARD_GRAFANA_PORT: String(port) });
  const context = { stdout: { isTTY: false }, env: {}, signal: t.signal } as unknown as Context;
  const board = { uid: 'guard-world', title: '', rangeMs: 60_000, variables: [], panels: [] };
  const state = { ...initialWatch([board], 0, undefined), chosen: { gateway: 'a b' } };
  const opened = () => openInGrafana(state, settings, context);
  const url = `http://127.0.0.1:${port}/d/guard-world?from=now-60s&to=now&var-gateway=a+b`;
  assert.equal(await opened(), `there is no browser here: open ${url}`);
  server.close();
  server.closeAllConnections();
  const hint = '`guardcli dashboard up` starts it';
  assert.equal(await opened(), `Grafana does not respond at http://127.0.0.1:${port}: ${hint}`);
});
