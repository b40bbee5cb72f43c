import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { certificate, key } from '../nginx/lua/respond/certificate.ts';
import { startRecording } from '../support/http2-attacks.ts';
import { checkHttp3Attacks } from '../support/http3-attacks.ts';
import { startCaddy } from './process.ts';

test('attacks over HTTP/3 through Caddy', async (t) => {
  const backend = await startRecording(t);
  const folder = scratchFolder('guard-http3-');
  writeFileSync(join(folder, 'certificate.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key);
  const { port } = await startCaddy(t, {
    site: (port) => `https://:${port} {
	tls ${folder}/certificate.pem ${folder}/key.pem
	guard {
		security_log false
		methods *
		check_query true
		check_body true
		check_headers X-Original-URL Cookie
	}
	reverse_proxy 127.0.0.1:${backend.port}
}
`,
  });
  await checkHttp3Attacks(t, port, backend);
});
