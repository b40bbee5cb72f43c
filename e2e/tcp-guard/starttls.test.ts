/** Real clients that encrypt with STARTTLS. tcp-guard relays what it cannot read, and counts none of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dovecot } from '../../conformance/servers/dovecot.ts';
import { postfix } from '../../conformance/servers/postfix.ts';
import { reasonToSkip, runClient, startServer } from '../../conformance/servers/running.ts';
import { type Login, type RealServer, right, wrong } from '../../conformance/servers/server.ts';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';
import { openForwardingPort, startGuard } from './process.ts';

const clientIp = '192.0.2.67';
const failures = 3;

interface Upgraded {
  readonly server: RealServer;
  readonly protocol: Protocol;
  /** What `openssl s_client` sends after the upgrade, and what the server then says. */
  readonly commands: string;
  readonly response: RegExp;
}

const rows: readonly Upgraded[] = [
  { server: dovecot, protocol: 'imap', commands: 'a NOOP\\nb LOGOUT\\n', response: /b OK Logout/ },
  { server: dovecot, protocol: 'pop3', commands: 'CAPA\\nQUIT\\n', response: /\+OK Logging out/ },
  { server: postfix, protocol: 'smtp', commands: 'EHLO a\\nQUIT\\n', response: /221 2\.0\.0 Bye/ },
];

for (const { server, protocol, commands, response } of rows)
  test(`${server.name}, ${protocol}: clients encrypt through tcp-guard, which counts no login`, {
    skip: reasonToSkip(server),
  }, async (t) => {
    const environment = await startServer(t, server);
    const { ports } = environment;
    const client = server.logins?.[protocol] as Login;
    const before = await freePort();
    const services = {
      [protocol]: {
        ...{ listen: `127.0.0.1:${before}`, upstream: `127.0.0.1:${ports[protocol]}`, protocol },
        proxy_protocol: { accept_from: ['127.0.0.0/8'] },
      },
    };
    const guard = await startGuard(t, { services }, { ban_after_failures: failures, failure_window: '10m' });
    const port = await openForwardingPort(t, clientIp, before);
    const login = (password: string) => {
      const { program, args } = client.command(port, password, environment);
      return runClient({ program, args: ['--ssl-reqd', '--insecure', ...args] });
    };
    const converse = `printf '${commands}' | openssl s_client -quiet -crlf -starttls ${protocol} -connect 127.0.0.1:${port}`;

    await until(async () => (await login(right)).status === 0, `${server.name} to let its user in`);
    for (let guess = 0; guess <= failures; guess += 1) assert.notEqual((await login(wrong)).status, 0);
    const last = await login(right);
    assert.equal(last.status, 0, last.output);
    const { output } = await runClient({ program: '/bin/sh', args: ['-c', converse] });
    assert.match(output, response);
    await until(() => guard.events().length >= failures + 4, 'the connections to be recorded');
    assert.deepEqual(new Set(guard.events().map(({ action }) => action)), new Set(['allowed']));
  });
