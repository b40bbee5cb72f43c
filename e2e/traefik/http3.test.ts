import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';
import { attackPolicy, startRecording } from '../support/http2-attacks.ts';
import { checkHttp3Attacks } from '../support/http3-attacks.ts';
import { routeWithGuards, startTraefik } from './process.ts';

test('attacks over HTTP/3 through Traefik', async (t) => {
  const backend = await startRecording(t);
  const guard = { securityLog: false, ...attackPolicy };
  const secure = await freePort();
  const { port } = await startTraefik(t, routeWithGuards(`http://127.0.0.1:${backend.port}`, { guard }), {
    entryPoints: { secure: { address: `127.0.0.1:${secure}`, http: { tls: {} }, http3: {} } },
  });
  const isServing = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isServing, 'Traefik to serve');
  await checkHttp3Attacks(t, secure, backend);
});
