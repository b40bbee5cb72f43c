/** `guardcli probe https://...` against TLS servers with certificates of the test. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { scratch } from '../testing/scratch.ts';

const bin = join(packageRoot, 'dist/bin/guardcli.js');

/** Headers of the response of the default policy to a blocked request. */
const blocked = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

const cases = [
  { name: 'blocked', request: { path: '/.env' }, expect: { verdict: 'blocked', status: 403 } },
  { name: 'as written', request: { path: '/a/./%62?c' }, expect: { verdict: 'allowed', status: 204 } },
];

/** Creates a folder with a policy, a suite, and a self-signed certificate for localhost: key.pem and cert.pem. */
function folderWith(): string {
  const folder = scratch({ 'guard.json': '{}', 'cases.yaml': JSON.stringify({ cases }) });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...name, ...files], { cwd: folder, stdio: 'ignore' });
  return folder;
}

async function portOf(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts a server that blocks /.env as the default policy does, and has one page. */
function serve(t: TestContext, folder: string): Promise<number> {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)));
  const options = { key, cert, ALPNProtocols: ['http/1.1'] };
  const server = createServer(options, ({ url }, response) => {
    if (url === '/.env') response.writeHead(403, blocked).end('403 Forbidden\n');
    else response.writeHead(url === '/a/./%62?c' ? 204 : 404).end();
  });
  return portOf(t, server);
}

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const probe = (cwd: string, url: string, env = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const args = [bin, 'probe', url, '--suite', 'cases.yaml'];
    const child = execFile(process.execPath, args, { cwd, env: { ...process.env, ...env } }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });

const trusted = { NODE_EXTRA_CA_CERTS: 'cert.pem' };

const skip = spawnSync('openssl', ['version']).status !== 0 && 'openssl is not installed';

describe('probe over TLS', { skip }, () => {
  it('sends the cases over TLS where NODE_EXTRA_CA_CERTS names the authority', async (t) => {
    const folder = folderWith();
    const url = `https://localhost:${await serve(t, folder)}`;
    const { status, stdout, stderr } = await probe(folder, url, trusted);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^cases\.yaml on https:\/\/localhost:\d+: PASSED, 2 passed, 0 failed\n$/);
  });

  it('refuses a certificate of an unknown authority, and says how to trust it', async (t) => {
    const folder = folderWith();
    const url = `https://localhost:${await serve(t, folder)}`;
    const { status, stdout, stderr } = await probe(folder, url);
    assert.deepEqual([status, stdout], [3, '']);
    assert.equal(
      stderr,
      [
        `error: the certificate of ${url} is not valid.`,
        '  | self-signed certificate',
        '  Use a name that it covers; NODE_EXTRA_CA_CERTS=<file> in the environment adds a certificate authority.\n',
      ].join('\n'),
    );
  });

  it('refuses a certificate for another name', async (t) => {
    const folder = folderWith();
    const { status, stderr } = await probe(folder, `https://127.0.0.1:${await serve(t, folder)}`, trusted);
    assert.equal(status, 3);
    assert.match(
      stderr,
      /^error: the certificate of https:\S+ is not valid\.\n {2}\| .*127\.0\.0\.1 is not in the cert/,
    );
  });

  it('says that a server without TLS needs http', async (t) => {
    const folder = folderWith();
    const { status, stderr } = await probe(folder, `https://127.0.0.1:${await portOf(t, createPlainServer())}`);
    assert.equal(status, 3);
    assert.match(
      stderr,
      /^error: cannot connect to https:\S+\.\n {2}\| the TLS handshake failed: ERR_SSL_\w+\n {2}.*http:\/\//,
    );
  });
});
