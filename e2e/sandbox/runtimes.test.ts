/** Container runtimes that are not at their default socket. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { certificate, key } from '../nginx/lua/respond/certificate.ts';
import { containersOn, docker, fewProbes, freePort, run, skip, temporaryFile } from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';

const socket = '/var/run/docker.sock';

function toRuntime(client: Socket): void {
  const runtime = connectSocket({ path: socket, allowHalfOpen: true });
  for (const end of [client, runtime]) end.on('error', () => {});
  client.pipe(runtime).pipe(client);
  client.on('close', () => runtime.destroy());
}

const listening = async (t: TestContext, server: Server): Promise<string> =>
  `tcp://127.0.0.1:${await listen(t, server)}`;

const overTcp = (t: TestContext): Promise<string> => listening(t, createServer({ allowHalfOpen: true }, toRuntime));

/** Forwards connections to the container runtime with a TLS certificate that no client trusts. */
const overTls = (t: TestContext): Promise<string> =>
  listening(t, createTlsServer({ key, cert: certificate, allowHalfOpen: true }, toRuntime));

interface LabContext {
  readonly Host: string;
  readonly SkipTLSVerify: boolean;
}

/** Returns variables that select a Docker context with this endpoint and optional certificate authority. */
function contextEnv(docker: LabContext, ca?: string) {
  const folder = dirname(temporaryFile('config.json', { currentContext: 'lab' }));
  const id = createHash('sha256').update('lab').digest('hex');
  const write = (below: string, name: string, text: string): void => {
    mkdirSync(join(folder, 'contexts', below), { recursive: true });
    writeFileSync(join(folder, 'contexts', below, name), text);
  };
  write(`meta/${id}`, 'meta.json', JSON.stringify({ Name: 'lab', Endpoints: { docker } }));
  if (ca !== undefined) write(`tls/${id}/docker`, 'ca.pem', ca);
  return { DOCKER_CONFIG: folder };
}

for (const [what, ca] of [
  ['', undefined],
  [' although it names an authority', certificate],
] as const)
  test(`a Docker context that skips the verification of TLS is obeyed${what}`, { skip }, async (t) => {
    const port = await freePort();
    const args = ['sandbox', 'caddy', temporaryFile('guard.json', {}), '--test', '--port', String(port)];
    const env = contextEnv({ Host: await overTls(t), SkipTLSVerify: true }, ca);
    const { status, stdout, stderr } = await run(t, args, { ...fewProbes, ...env });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stderr, /looking for a container runtime: context lab/);
  });

test('a certificate for another name is refused where TLS is verified', { skip }, async (t) => {
  const env = contextEnv({ Host: await overTls(t), SkipTLSVerify: false }, certificate);
  const { status, stderr } = await run(t, ['cleanup'], env);
  assert.equal(status, 3);
  assert.match(stderr, /does not match certificate's altnames/);
});

test('DOCKER_HOST=tcp:// runs a suite', { skip }, async (t) => {
  const port = await freePort();
  const args = ['sandbox', 'caddy', temporaryFile('guard.json', {}), '--test', '--port', String(port)];
  const { status, stdout, stderr } = await run(t, args, { ...fewProbes, DOCKER_HOST: await overTcp(t) });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stderr, /looking for a container runtime: DOCKER_HOST/);
  assert.deepEqual(await containersOn(port), []);
});

/**
 * Creates an `ssh` that records its arguments, and runs the command on this machine without DOCKER_HOST. Returns the
 * variables that select it.
 */
function fakeSsh(): { readonly PATH: string; readonly SSH_CALLS: string } {
  const script =
    '#!/bin/sh\necho "$@" >>"$SSH_CALLS"\nwhile [ "$1" != -- ]; do shift; done\nshift 2\nunset DOCKER_HOST\nexec "$@"\n';
  const ssh = temporaryFile('ssh', script);
  chmodSync(ssh, 0o755);
  return { PATH: `${dirname(ssh)}:${process.env.PATH}`, SSH_CALLS: temporaryFile('calls', '') };
}

test('DOCKER_HOST=ssh:// goes through the ssh of the user', { skip }, async (t) => {
  const port = await freePort();
  const env = { ...fakeSsh(), DOCKER_HOST: 'ssh://me@box:2222' };
  const file = temporaryFile('guard.json', {});
  const { status, stdout, stderr } = await run(t, ['sandbox', 'caddy', file, '--detach', '--port', String(port)], env);
  t.after(async () => {
    for (const line of await containersOn(port)) await docker('rm', '-f', line.split(' ')[0]?.slice(1) ?? '');
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Caddy serves on /);
  assert.equal((await containersOn(port)).length, 1);
  const [call] = readFileSync(env.SSH_CALLS, 'utf8').split('\n');
  assert.equal(call, '-o ConnectTimeout=30 -T -l me -p 2222 -- box docker system dial-stdio');
});

test('a container runtime on another machine has its ports there, and that is said', { skip }, async (t) => {
  const env = { ...fakeSsh(), DOCKER_HOST: 'ssh://box' };
  const { status, stderr } = await run(t, ['sandbox', 'caddy', temporaryFile('guard.json', {}), '--test'], env);
  assert.equal(status, 3);
  assert.match(stderr, /the container runtime is on another machine/);
  assert.match(stderr, /ssh -L 8080:127\.0\.0\.1:8080/);
});

test('an ssh that fails is quoted', { skip }, async (t) => {
  const ssh = temporaryFile('ssh', '#!/bin/sh\necho "Host key verification failed." >&2\nexit 255\n');
  chmodSync(ssh, 0o755);
  const env = { PATH: `${dirname(ssh)}:${process.env.PATH}`, DOCKER_HOST: 'ssh://box' };
  const { status, stderr } = await run(t, ['cleanup'], env);
  assert.equal(status, 3);
  assert.match(stderr, /ssh:\/\/box \(DOCKER_HOST\): Host key verification failed\./);
});
