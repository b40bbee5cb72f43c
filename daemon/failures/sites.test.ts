/** An attacker with an IPv6 /48 who uses each /64 of it once: over connections, reports and event files. */
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { eventExamples } from '../../contract/events/examples.ts';
import { until } from '../../platform/testing/until.ts';
import { bytesOf, guardedService, received, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { send } from '../testing/spawned.ts';

/** An address in /64 number `network` of the /48. */
const attackerAt = (network: number) => `2001:db8:7:${network.toString(16)}::1`;

/** Five failures ban an address. Four times as many ban a /48. */
const limits = { ban_after_failures: 5, ban_site_factor: 4 } as const;
const most = 20;

async function attacked(t: TestContext, workers: number) {
  let guesses = 0;
  const { port } = await startUpstream(t, (socket) => {
    socket.write('+OK ready\r\n');
    createInterface(socket.on('error', () => {}))
      .on('error', () => {})
      .on('line', (line) => {
        if (line.startsWith('PASS')) guesses++;
        socket.write(line.startsWith('PASS') ? '-ERR [AUTH] no\r\n' : '+OK\r\n');
      });
  });
  const folder = temporaryFolder();
  const events = join(folder, 'caddy.jsonl');
  writeFileSync(events, '');
  const pop3 = guardedService(port, { protocol: 'pop3', proxy_protocol: { accept_from: ['127.0.0.1'] } });
  const started = await start(
    t,
    {
      global: { workers, ...limits },
      api: { listen: '', socket: join(folder, 'api.sock') },
      intake: [{ file: events }],
      services: { pop3 },
    },
    { folder },
  );
  /** Guesses a password. Resolves with whether the guess reached the server. */
  const guess = async (ip: string): Promise<boolean> => {
    const before = guesses;
    const socket = started.dial('pop3');
    socket.write(`PROXY TCP6 ${ip} 2001:db8::1 4000 110\r\nUSER a\r\nPASS b\r\n`);
    await Promise.race([bytesOf(socket, '+OK ready\r\n+OK\r\n-ERR [AUTH] no\r\n'.length), received(socket)]);
    socket.destroy();
    return guesses > before;
  };
  const failures = () => started.daemon.tables().failures?.entries;
  return { ...started, folder, events, guess, failures };
}

for (const workers of [1, 2])
  test(`${workers} workers: bans a /48 for the guesses of its /64, and serves others`, async (t) => {
    const { guess, failures, daemon } = await attacked(t, workers);
    for (let network = 1; network < most; network++) {
      assert.ok(await guess(attackerAt(network)));
      await until(() => failures() === network + 1); // counted for each address and for the /48
    }
    await guess(attackerAt(most));
    await until(() => daemon.bans.covers(attackerAt(most + 1)));
    assert.equal(daemon.bans.covering(attackerAt(most + 1))?.ip, '2001:db8:7::/48');
    assert.equal(await guess(attackerAt(most + 1)), false);
    assert.ok(await guess('2001:db8:8::1'));
  });

const seen = (ip: string): string =>
  `${JSON.stringify({ ...eventExamples.blocked, timestamp: new Date().toISOString(), client_ip: ip })}\n`;

test('counts reports for the /48 like guesses, and the events of gateways with their own limit', async (t) => {
  const { guess, folder, events, daemon } = await attacked(t, 1);
  for (let network = 1; network < most; network++) {
    const ip = attackerAt(network);
    const answer = await send(folder, 'POST', '/report', JSON.stringify({ ip, service: 'pop3', reason: 'guess' }));
    assert.deepEqual(JSON.parse(answer), { ip, banned: false });
  }
  await guess(attackerAt(most));
  await until(() => daemon.bans.covering(attackerAt(1))?.ip === '2001:db8:7::/48');
  for (let network = 1; network <= most; network++) appendFileSync(events, seen(`2001:db8:9:${network}::1`));
  await until(() => daemon.bans.covering('2001:db8:9::1')?.reason === 'logs: 20 blocked requests in 60s');
});
