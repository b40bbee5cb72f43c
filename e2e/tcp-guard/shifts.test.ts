/** Every refused login that the client sees must be counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logins } from '../../conformance/servers/index.ts';
import { reasonToSkip, startServer } from '../../conformance/servers/running.ts';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';
import { openForwardingPort, startGuard } from './process.ts';
import { type Attack, attackedProtocols, attacksOn, guess } from './shifts.ts';

const guesses = 4; // several, because a second reply to a guess would be taken for the reply to the next one
const patient = { ban_after_failures: 1000 };

for (const { server, protocol } of logins.filter((login) => attackedProtocols.includes(login.protocol)))
  test(`${server.name}, ${protocol}: every refused login that a client sees is counted`, {
    skip: reasonToSkip(server),
  }, async (t) => {
    const { ports } = await startServer(t, server);
    const [before, upstream] = [await freePort(), `127.0.0.1:${ports[protocol]}`];
    const proxy_protocol = { accept_from: ['127.0.0.0/8'] };
    const service = { listen: `127.0.0.1:${before}`, upstream, protocol, proxy_protocol };
    const guard = await startGuard(t, { services: { [protocol]: service } }, patient);

    const play = async (attack: Attack, index: number): Promise<number> => {
      const client = `192.0.2.${index + 1}`;
      const port = await openForwardingPort(t, client, before);
      const { refusals, connections } = await guess(port, protocol, attack, guesses);
      const count = (...wanted: string[]): number =>
        guard.events().filter(({ client_ip, action }) => client_ip === client && wanted.includes(action)).length;
      await until(async () => count('allowed', 'blocked') === connections, `${attack.name}: the records`);
      const events = JSON.stringify(guard.events().filter(({ client_ip }) => client_ip === client));
      assert.ok(count('auth_failure') >= refusals, `${attack.name}: ${refusals} refusals, ${events}`);
      return refusals;
    };
    for (const [index, attack] of attacksOn(protocol).entries()) {
      const refusals = await play(attack, index);
      if (attack.hidesNoGuess) assert.equal(refusals, guesses, `${attack.name} reaches the server`);
    }
  });
