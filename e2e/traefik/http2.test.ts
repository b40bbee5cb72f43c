import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { attackPolicy, checkAttacks, startRecording } from '../support/http2-attacks.ts';
import { routeWithGuards, startTraefik } from './process.ts';

test('attacks over HTTP/2 through Traefik', async (t) => {
  const backend = await startRecording(t);
  const guard = { securityLog: false, ...attackPolicy };
  const { port } = await startTraefik(t, routeWithGuards(`http://127.0.0.1:${backend.port}`, { guard }));
  const isServing = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isServing, 'Traefik to serve');
  await checkAttacks(t, port, backend);
});
