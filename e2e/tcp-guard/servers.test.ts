/** A client with the right password logs in to a real server. A client that guesses is banned. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logins } from '../../conformance/servers/index.ts';
import { postgres, psql } from '../../conformance/servers/postgres.ts';
import { reasonToSkip, runClient, startServer } from '../../conformance/servers/running.ts';
import { type Login, right, wrong } from '../../conformance/servers/server.ts';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';
import { openForwardingPort, startGuard } from './process.ts';

const clientIp = '192.0.2.66';
const failures = 3;
/** Guesses of which three count. Where the password is visible, a repeated one counts once. */
const guessesOf = ({ hidesPassword }: Login): readonly string[] =>
  hidesPassword ? [wrong, wrong, wrong] : [wrong, wrong, wrong, `${wrong}-2`, `${wrong}-3`];
/** A long window for failures, because a busy machine takes longer than a person who guesses. */
const patient = { ban_after_failures: failures, failure_window: '10m' };

for (const { server, protocol, login: client } of logins)
  test(`${server.name}, ${protocol}: the right password passes, the wrong one is counted until a ban`, {
    skip: reasonToSkip(server),
  }, async (t) => {
    const environment = await startServer(t, server);
    const [before, behind] = [await freePort(), environment.ports[protocol]];
    const proxy_protocol = { accept_from: ['127.0.0.0/8'] };
    const service = { listen: `127.0.0.1:${before}`, upstream: `127.0.0.1:${behind}`, protocol, proxy_protocol };
    const options = client.isProbable && { [protocol]: { ban_on_probable: true } };
    const services = { [protocol]: { ...service, ...options } };
    const loginAt = async (at: number, password: string): Promise<{ isLoggedIn: boolean; output: string }> => {
      const { status, output } = await runClient(client.command(at, password, environment));
      return { isLoggedIn: client.isLoggedIn?.(output) ?? status === 0, output };
    };
    // Some servers accept connections before their login service runs.
    await until(async () => (await loginAt(behind, right)).isLoggedIn, `${server.name} to let its user in`);
    const guard = await startGuard(t, { services }, patient);
    const port = await openForwardingPort(t, clientIp, before);
    const login = (password: string) => loginAt(port, password);
    const actions = () =>
      guard
        .events()
        .filter(({ client_ip }) => client_ip === clientIp)
        .map(({ action }) => action);
    const count = (wanted: string): number => actions().filter((action) => action === wanted).length;

    const first = await login(right);
    assert.ok(first.isLoggedIn, `${first.output}\n${JSON.stringify(guard.events())}`);
    await until(async () => count('allowed') > 0, 'the login to be recorded');
    assert.equal(count('auth_failure'), 0, JSON.stringify(guard.events()));

    for (const [index, guess] of guessesOf(client).entries()) {
      assert.equal(count('banned'), 0);
      assert.equal((await login(guess)).isLoggedIn, false);
      await until(async () => count('auth_failure') === index + 1, `failure ${index + 1} to be recorded`);
    }
    await until(async () => count('banned') === 1, 'the ban');
    const [failed] = guard.events().filter(({ action }) => action === 'auth_failure');
    assert.equal(failed?.confidence, client.isProbable && 'probable');

    assert.equal((await login(right)).isLoggedIn, false, 'it is banned and gets in');
    const { bans } = JSON.parse((await guard.ask('GET', '/banlist')).body);
    assert.deepEqual([bans.length, bans[0].ip, bans[0].service], [1, clientIp, protocol]);
    assert.equal((await guard.ask('POST', '/unban', { ip: clientIp })).status, 200);
    const last = await login(right);
    assert.ok(last.isLoggedIn, last.output);
  });

test('PostgreSQL that requires TLS: the right password of a client that tries without TLS first leads to no ban', {
  skip: reasonToSkip(postgres),
}, async (t) => {
  const { ports } = await startServer(t, postgres);
  const before = await freePort();
  const proxy_protocol = { accept_from: ['127.0.0.0/8'] };
  const service = {
    listen: `127.0.0.1:${before}`,
    upstream: `127.0.0.1:${ports.postgres}`,
    protocol: 'postgres',
    proxy_protocol,
  };
  const guard = await startGuard(t, { services: { postgres: service } }, patient);
  const port = await openForwardingPort(t, clientIp, before);
  for (let login = 0; login <= failures; login += 1) {
    const { status, output } = await runClient(psql(port, 'encrypted', right, 'allow'));
    assert.equal(status, 0, output);
  }
  const recorded = () => guard.events().filter(({ action }) => action === 'allowed');
  await until(async () => recorded().length === 2 * (failures + 1), 'both connections of each login to be recorded');
  assert.deepEqual(new Set(guard.events().map(({ action }) => action)), new Set(['allowed']));
});
