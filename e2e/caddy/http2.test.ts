import { test } from 'node:test';
import { checkAttacks, startRecording } from '../support/http2-attacks.ts';
import { startCaddy } from './process.ts';

test('attacks over HTTP/2 through Caddy', async (t) => {
  const backend = await startRecording(t);
  const { port } = await startCaddy(t, {
    options: 'servers {\n\t\tprotocols h1 h2c\n\t}',
    site: (port) => `http://:${port} {
	guard {
		security_log false
		methods *
		check_query true
		check_body true
		check_headers X-Original-URL Cookie
	}
	respond / "fine"
	reverse_proxy 127.0.0.1:${backend.port}
}
`,
  });
  await checkAttacks(t, port, backend);
});
