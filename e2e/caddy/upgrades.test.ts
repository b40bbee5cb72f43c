import { test } from 'node:test';
import { checkStreams, checkUpgrades, startH2c } from '../support/h2c.ts';
import { startCaddy } from './process.ts';

/** `/` responds when Caddy has started. All other paths reach the backend. */
const siteOf = (backend: number, guard: string) => (port: number) =>
  `http://:${port} {
	guard {
		security_log false
		${guard}
	}
	respond / "fine"
	reverse_proxy 127.0.0.1:${backend}
}
`;

test('upgrades through Caddy', async (t) => {
  const backend = await startH2c(t);
  const { port } = await startCaddy(t, { site: siteOf(backend.port, '') });
  await checkUpgrades(t, port, backend);
});

test('h2c passes through Caddy with an entry', async (t) => {
  const backend = await startH2c(t);
  const { port } = await startCaddy(t, { site: siteOf(backend.port, 'allow_upgrades websocket h2c') });
  await checkStreams(t, port, backend);
});
