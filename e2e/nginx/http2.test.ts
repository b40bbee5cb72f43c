import { test } from 'node:test';
import { attackPolicy, checkAttacks, startRecording } from '../support/http2-attacks.ts';
import { startGuarded } from './lua/guarded.ts';
import { withoutNginx } from './process.ts';

test('attacks over HTTP/2 through nginx', { skip: withoutNginx }, async (t) => {
  const backend = await startRecording(t);
  const { http2Port } = await startGuarded(t, {
    policies: { default: attackPolicy },
    server: `location ~ ^/ { proxy_pass http://127.0.0.1:${backend.port}; }`,
  });
  await checkAttacks(t, http2Port, backend);
});
