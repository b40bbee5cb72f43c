import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadDaemon } from '../../contract/load/daemon.ts';
import { packageRoot } from '../../platform/assets.ts';
import { textWithin } from '../../platform/bounded.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import type { Ban, BanChange } from '../bans/ban.ts';
import { configuration } from '../testing/daemon.ts';
import { startNotifier, testTargets } from './index.ts';
import { Notice } from './notice.ts';
import { sendMail } from './targets.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A service that keeps what it receives. */
async function service(t: TestContext, status = 200) {
  const service = { status, received: [] as Received[], url: '' };
  const server = createServer(async (request, response) => {
    const body = await textWithin(request, 65_536);
    const { method, url = '', headers } = request;
    service.received.push({ method, url, headers, body });
    response.writeHead(service.status).end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

const banOf = (ip: string, reason = 'ssh: 5 failed logins in 60s'): Ban => ({
  ...{ ip, reason, service: 'ssh', origin: 'local' },
  ...{ bannedAt: 0, expiresAt: null },
});

const fast = { noticeCollectMs: 20, noticePauseMs: 20, noticeProblemsMs: 20, noticeRetryMs: { first: 10, most: 20 } };

async function notifying(
  t: TestContext,
  notify: Parameters<typeof configuration>[0]['notify'],
  problems: string[] = [],
) {
  const listeners = new Set<(change: BanChange) => void>();
  const logged: string[] = [];
  let looks = 0;
  const notifier = await startNotifier({
    config: configuration({ notify }),
    bans: {
      watch: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    problems: () => {
      looks += 1;
      return [...problems];
    },
    log: (message) => logged.push(message),
    bounds: fast,
  });
  t.after(() => notifier?.close());
  const ban = (ip: string) => {
    for (const listener of listeners) listener({ kind: 'banned', ban: banOf(ip) });
  };
  /** Resolves when the problems were read again. */
  const looked = (): Promise<void> => {
    const before = looks;
    return until(() => looks > before + 1);
  };
  return { ban, logged, notifier, looked };
}

test('a burst of bans is one message with their number and the first addresses', async (t) => {
  const { url, received } = await service(t);
  const { ban } = await notifying(t, [{ url: `${url}/hook`, template: '{"content": "{text}", "n": "{count}"}' }]);
  for (let host = 0; host < 100; host++) ban(`192.0.2.${host}`);
  await until(() => received.length === 1);
  const { content, n } = JSON.parse(received[0]?.body ?? '');
  assert.equal(n, '100');
  assert.match(
    content,
    /^100 banned: 192\.0\.2\.0 \(ssh: 5 failed logins in 60s\), .*192\.0\.2\.4 \([^)]*\), and 95 more$/,
  );
});

test('sends what happened while a target was down, once, and never logs the address of the target', async (t) => {
  const down = await service(t, 500);
  const { ban, logged } = await notifying(t, [{ url: `${down.url}/secret-token` }]);
  ban('192.0.2.1');
  await until(() => down.received.length >= 2);
  ban('192.0.2.2');
  down.status = 200;
  const count = down.received.length;
  await until(() => down.received.slice(count).some(({ body }) => body.includes('192.0.2.2')));
  assert.match(down.received.at(-1)?.body ?? '', /2 banned: 192\.0\.2\.1 .*192\.0\.2\.2/);
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? '', /^notify 127\.0\.0\.1:\d+: status 500$/);
});

test('says when a problem begins and when it is over', async (t) => {
  const { url, received } = await service(t);
  const problems: string[] = [];
  await notifying(t, [{ ntfy: `${url}/topic` }], problems);
  problems.push('list x: status 500');
  await until(() => received.some(({ body }) => body === 'problem: list x: status 500'));
  assert.match(`${received[0]?.headers.title}`, /^tcp-guard on /);
  problems.pop();
  await until(() => received.some(({ body }) => body === 'over: list x: status 500'));
});

test('a problem whose number changes is not a new one, unlike that of another place', async (t) => {
  const { url, received } = await service(t);
  const problems = ['intake: a: 1 lines lack the client'];
  const { looked } = await notifying(t, [{ ntfy: `${url}/topic` }], problems);
  await until(() => received.length === 1);
  for (let lines = 2; lines <= 5; lines += 1) {
    problems[0] = `intake: a: ${lines} lines lack the client`;
    await looked();
  }
  problems.push('cannot listen on 192.0.2.1:22', 'cannot listen on 192.0.2.1:23');
  await until(() => received.length === 2);
  problems.length = 2;
  await until(() => received.length === 3);
  problems[1] = 'cannot listen on 192.0.2.1:24';
  await until(() => received.length === 4);
  assert.deepEqual(
    received.map(({ body }) => body),
    [
      'problem: intake: a: 1 lines lack the client',
      'problem: cannot listen on 192.0.2.1:22\nproblem: cannot listen on 192.0.2.1:23',
      'over: cannot listen on 192.0.2.1:23',
      'problem: cannot listen on 192.0.2.1:24\nover: cannot listen on 192.0.2.1:22',
    ],
  );
});

test('counts the problems that have no room', () => {
  const notice = new Notice();
  for (let index = 0; index < 8; index += 1) notice.addProblem(`problem ${index}`, false);
  const { text } = notice.followedBy(notice).fields('host', 'id');
  assert.equal(text.split('\n').length, 6);
  assert.match(text, /problem: problem 4\nand 6 more changes of problems$/);
});

test('texts of attackers stay texts', () => {
  const notice = new Notice();
  notice.addBan(banOf('192.0.2.1', 'user "}\u001b[31m{title}\n'));
  const { text } = notice.fields('h', 'id');
  assert.doesNotMatch(text, /[\u0000-\u001f]/);
});

test('the examples of the page are valid, and send the text where each service reads it', async (t) => {
  const { url, received } = await service(t);
  const page = readFileSync(`${packageRoot}/docs/tcp-guard.md`, 'utf8');
  const [, table = ''] = /<!-- notify-examples -->([\s\S]*)<!-- notify-examples end -->/.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| ([A-Z]\w+)[^|]* \| `(\{url: .*\})` \|$/gm)];
  const texts: Record<string, (body: Record<string, unknown>) => unknown> = {
    Slack: ({ text }) => text,
    Discord: ({ content }) => content,
    Gotify: ({ message }) => message,
    Matrix: ({ body }) => body,
    Telegram: ({ text }) => text,
  };
  assert.deepEqual(
    rows.map(([, name]) => name),
    Object.keys(texts),
  );
  for (const [, name = '', target = ''] of rows) {
    const local = target.replace(/https:\/\/[^/]+/, url);
    const yaml = `version: 1\nservices: {}\nnotify:\n  - ${local}\n`;
    const loaded = loadDaemon(Buffer.from(yaml), 'x.yaml', {
      HOOK: 'a/b',
      TOKEN: 'tok',
      ROOM: '!r:example.com',
      CHAT: '1',
    });
    assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
    assert.deepEqual((await testTargets(loaded.value)).ok, true);
    assert.equal(texts[name]?.(JSON.parse(received.at(-1)?.body ?? '')), 'this is a test', name);
  }
  assert.equal(received[3]?.method, 'PUT');
});

test('a test says which target fails, without its address', async (t) => {
  const { url } = await service(t, 404);
  const { lines, ok } = await testTargets(
    configuration({ notify: [{ url: `${url}/t?token=x` }, { ntfy: `http://127.0.0.1:${await freePort()}/t` }] }),
  );
  assert.equal(ok, false);
  assert.match(lines.join('\n'), /^127\.0\.0\.1:\d+: status 404\n127\.0\.0\.1:\d+: ECONNREFUSED$/);
});

test('a test names a redirect, which no message follows', async (t) => {
  const server = createServer((_, response) =>
    response.writeHead(301, { Location: 'https://192.0.2.1/t?token=x' }).end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/t`;
  const { lines } = await testTargets(configuration({ notify: [{ ntfy: url }] }));
  assert.match(lines.join('\n'), /^127\.0\.0\.1:\d+: unexpected redirect$/);
});

test('sendmail gets the message as a mail, and a failure says which program failed', async () => {
  const folder = scratchFolder('guard-mail-');
  const program = join(folder, 'sendmail');
  const script = `#!/bin/sh\necho "$@" > ${folder}/arguments\ncat > ${folder}/mail\nexit "$(cat ${folder}/status)"\n`;
  writeFileSync(program, script, { mode: 0o755 });
  writeFileSync(join(folder, 'status'), '0');
  const fields = { title: 'tcp-guard on h', text: '1 banned: 192.0.2.1\n.\nx', count: '1', host: 'h', id: 'i' };
  const send = (path = program) => sendMail(path, 'ops@example.com', fields, new AbortController().signal);
  await send();
  assert.equal(readFileSync(join(folder, 'arguments'), 'utf8'), '-i ops@example.com\n');
  assert.match(
    readFileSync(join(folder, 'mail'), 'utf8'),
    /^To: ops@example\.com\nSubject: tcp-guard on h\n.*\n\n1 banned: 192\.0\.2\.1\n\.\nx\n$/,
  );
  writeFileSync(join(folder, 'status'), '75');
  await assert.rejects(send(), /^Error: status 75$/);
  await assert.rejects(send('/absent/sendmail'), /^Error: cannot start \/absent\/sendmail: no such file or directory$/);
});

test('refuses templates that are not JSON, and two kinds of target', () => {
  for (const target of [
    '{url: "https://a/", template: "{text}"}',
    '{url: "https://a/", ntfy: "https://a/"}',
    '{}',
    '{sendmail: "-bp"}',
    '{url: "https://a/", headers: {X: "a\\nb"}}',
  ]) {
    const loaded = loadDaemon(Buffer.from(`version: 1\nservices: {}\nnotify:\n  - ${target}\n`), 'x.yaml', {});
    assert.equal(loaded.ok, false, target);
  }
});
