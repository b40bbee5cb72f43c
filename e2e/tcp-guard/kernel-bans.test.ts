/** The firewall drops packets of banned clients at the ports of services, and only there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { guesser, host, openNamespace, other, run, serveIn, skipNamespaces } from './namespaces.ts';
import { type RunningGuard, startGuard } from './process.ts';

const [port, tarpitPort, upstream, otherPort] = [7000, 7001, 7002, 8081];
const [denied, proxy] = ['198.51.100.9', '198.51.100.10'];

const service = { upstream: `127.0.0.1:${upstream}`, protocol: 'generic' };
const services = {
  greeter: {
    ...service,
    listen: `:${port}`,
    ip_filter: { deny: [denied] },
    proxy_protocol: { accept_from: [proxy] },
  },
  tarpit: { ...service, listen: `:${tarpitPort}`, response: { mode: 'tarpit' } },
};

async function statsOf(guard: RunningGuard) {
  const { kernel_bans, services } = JSON.parse((await guard.ask('GET', '/stats')).body);
  return { ...kernel_bans, blocked: services.greeter.total_blocked };
}

/** Connects and waits: a banned client must not reach the program any more, also over an open connection. */
const stay = `
const s = require('node:net').connect({ host: '${host}', port: ${port}, localAddress: '${guesser}' });
s.on('connect', () => process.stdout.write('connected')).on('error', () => process.exit(1)).on('close', () => process.exit(0));`;

for (const workers of [1, 2])
  test(`a ban closes the ports of services: ${workers} workers`, { skip: skipNamespaces }, async (t) => {
    const client = await openNamespace(t, 'client', host, [guesser, other, denied, proxy]);
    serveIn(t, [], upstream);
    serveIn(t, [], otherPort);
    const guard = await startGuard(t, { bans: { kernel: 'nftables' }, services }, { workers, never_ban: [] });
    await until(async () => (await statsOf(guard)).mechanism === 'nftables');
    await until(() => [port, otherPort].every((one) => client.reaches(guesser, host, one)));
    const [program = '', ...args] = [...client.enter, process.execPath, '-e', stay];
    const open = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    t.after(() => open.kill('SIGKILL'));
    await once(open.stdout, 'data');

    await guard.ask('POST', '/ban', { ip: guesser });
    await guard.ask('POST', '/ban', { ip: '198.51.100.8/31' });
    await until(async () => (await statsOf(guard)).entries === 2);
    await until(() => !client.reaches(guesser, host, port));
    assert.ok(client.reaches(guesser, host, otherPort), 'the ban holds at the services');
    assert.ok(client.reaches(guesser, host, tarpitPort), 'the tarpit accepts it');
    assert.ok(!client.reaches(other, host, port), 'a network');
    assert.ok(client.reaches(proxy, host, port));
    const { exceptions } = await statsOf(guard);
    assert.deepEqual(exceptions, ['tarpit: it holds refused connections in a tarpit']);
    await until(async () => {
      const { blocked, dropped_packets } = await statsOf(guard);
      return dropped_packets > 0 && blocked >= dropped_packets;
    });
    await until(() =>
      guard.events().some(({ action, reason, count = 0 }) => action === 'blocked' && reason === 'ban' && count > 0),
    );

    await guard.ask('POST', '/unban', { ip: guesser });
    await until(() => client.reaches(guesser, host, port));
    assert.ok(run('nft list ruleset').includes('request_guard'));
    guard.signal('SIGTERM');
    await guard.ended;
    assert.ok(!run('nft list ruleset').includes('request_guard'), 'nothing listens any more');
  });

test('a client that the configuration refuses is refused by the daemon, not by the firewall', {
  skip: skipNamespaces,
}, async (t) => {
  const client = await openNamespace(t, 'client', host, [denied]);
  const guard = await startGuard(t, { bans: { kernel: 'auto' }, services });
  await until(async () => (await statsOf(guard)).mechanism === 'nftables');
  assert.ok(client.reaches(denied, host, port), 'the daemon accepts it');
  await until(async () => (await statsOf(guard)).blocked === 1);
});
