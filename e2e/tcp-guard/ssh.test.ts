/** Failures of a real sshd are recorded; with ban_on_probable they cause a ban. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { guessPasswords, openssh } from '../../conformance/servers/openssh.ts';
import { reasonToSkip, runClient, startServer } from '../../conformance/servers/running.ts';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';
import { openForwardingPort, type RunningGuard, startGuard } from './process.ts';

const client = '192.0.2.67';
const patient = { failure_window: '10m' }; // a busy machine takes longer than a person who guesses
const guesses = 5; // the default of ban_after_failures

interface Setting {
  readonly guard: RunningGuard;
  /** Returns the output of ssh. */
  readonly attempt: (prompts?: number) => Promise<string>;
  readonly probable: () => number;
}

async function setting(t: TestContext, options: object): Promise<Setting> {
  const environment = await startServer(t, openssh);
  const [before, behind] = [await freePort(), environment.ports.ssh];
  const proxy_protocol = { accept_from: ['127.0.0.0/8'] };
  const service = { listen: `127.0.0.1:${before}`, upstream: `127.0.0.1:${behind}`, protocol: 'ssh', proxy_protocol };
  const guard = await startGuard(t, { services: { shell: { ...service, ...options } } }, patient);
  const port = await openForwardingPort(t, client, before);
  const probable = () =>
    guard.events().filter(({ client_ip, confidence }) => client_ip === client && confidence === 'probable').length;
  return {
    guard,
    probable,
    attempt: async (prompts = 1) => (await runClient(guessPasswords(port, environment, prompts))).output,
  };
}

const refusedBySshd = /Permission denied/;

async function guessFiveTimes({ attempt, probable }: Setting): Promise<void> {
  for (let made = 1; made <= guesses; made += 1) {
    assert.match(await attempt(), refusedBySshd);
    await until(async () => probable() === made, `guess ${made} to be noted`);
  }
}

test('ssh with defaults: five wrong passwords are recorded as probable failures and do not ban', {
  skip: reasonToSkip(openssh),
}, async (t) => {
  const all = await setting(t, {});
  await guessFiveTimes(all);
  assert.match(await all.attempt(), refusedBySshd);
  assert.deepEqual(JSON.parse((await all.guard.ask('GET', '/banlist')).body).bans, []);
  // Simulates a program that reports the failures to the API.
  for (let reported = 1; reported <= guesses; reported += 1)
    await all.guard.ask('POST', '/report', { ip: client, service: 'shell', reason: 'failed password' });
  assert.doesNotMatch(await all.attempt(), refusedBySshd);
});

test('ssh with ban_on_probable: after five wrong passwords the client is refused before it reaches sshd', {
  skip: reasonToSkip(openssh),
}, async (t) => {
  const all = await setting(t, { ssh: { ban_on_probable: true } });
  await guessFiveTimes(all);
  await until(async () => all.guard.events().some(({ action }) => action === 'banned'), 'the ban');
  assert.doesNotMatch(await all.attempt(), refusedBySshd);
  const [ban] = JSON.parse((await all.guard.ask('GET', '/banlist')).body).bans;
  assert.equal(ban.ip, client);
  assert.equal((await all.guard.ask('POST', '/unban', { ip: client })).status, 200);
  assert.match(await all.attempt(), refusedBySshd);
});

test('ssh: several wrong passwords on one connection are one probable failure', {
  skip: reasonToSkip(openssh),
}, async (t) => {
  const { attempt, probable } = await setting(t, {});
  assert.match(await attempt(3), refusedBySshd);
  await until(async () => probable() > 0, 'it to be noted');
  assert.equal(probable(), 1);
});
