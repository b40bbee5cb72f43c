import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { checkStreams, checkUpgrades, startH2c } from '../support/h2c.ts';
import { routeWithGuards, startTraefik } from './process.ts';

async function start(t: Parameters<typeof startTraefik>[0], guard: object) {
  const backend = await startH2c(t);
  const policies = { guard: { securityLog: false, ...guard } };
  const traefik = await startTraefik(t, routeWithGuards(`http://127.0.0.1:${backend.port}`, policies));
  const isServing = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${traefik.port}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isServing, 'Traefik to serve');
  return { backend, traefik };
}

test('upgrades through Traefik', async (t) => {
  const { backend, traefik } = await start(t, {});
  await checkUpgrades(t, traefik.port, backend);
});

test('h2c passes through Traefik with an entry', async (t) => {
  const { backend, traefik } = await start(t, { allowUpgrades: ['websocket', 'h2c'] });
  await checkStreams(t, traefik.port, backend);
});
