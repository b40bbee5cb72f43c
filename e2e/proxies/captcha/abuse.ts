/** Attacks on captchas and tarpits, the same for all proxies. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { captchaNames, captchaTexts } from '../../../contract/policy/captcha.ts';
import { limits } from '../../../contract/policy/limits.ts';
import type { CaptchaProvider } from './provider.ts';
import { answerPage, ask, stateOf } from './visitor.ts';

const maxHeld = 4;

/** Returns the policies by the first segment of their paths. Only `weak` accepts solutions. */
export function policies({ port, secretKey, verifyPath }: CaptchaProvider) {
  const common = {
    secret: 'a secret of the tests',
    trustedProxies: ['127.0.0.1'],
    methods: ['*'],
    disabledRules: ['hidden-seg'],
  };
  const verifyUrl = `http://127.0.0.1:${port}${verifyPath}`;
  const captcha = { provider: 'turnstile', siteKey: 'weak', secretKey, verifyUrl, passMinutes: 1440 };
  const held = { maxHeld, maxHeldPerAddress: 1 };
  return {
    weak: { ...common, response: { mode: 'captcha', captcha, ...held } },
    admin: {
      ...common,
      response: { mode: 'captcha', captcha: { ...captcha, provider: 'hcaptcha', siteKey: 'strict', passMinutes: 1 } },
    },
    trap: { ...common, response: { mode: 'tarpit', tarpitDelayMs: 10, tarpitMaxDurationSeconds: 3600, ...held } },
  };
}

interface Site {
  readonly port: number;
  readonly provider: CaptchaProvider;
}

const isFailedAttempt = (body: string): boolean => body.includes(captchaTexts.alert);

async function checkOtherPolicies({ port, provider }: Site): Promise<void> {
  const page = await ask(port, '/admin/.env');
  const taken = await answerPage(port, page, provider.solve());
  assert.deepEqual([taken.status, taken.cookie], [403, undefined], 'a state of the strict policy');
  const { cookie = '', location } = await answerPage(port, await ask(port, '/weak/.env'), provider.solve());
  assert.equal(location, '/weak/.env');
  assert.equal((await ask(port, '/weak/.env', { cookie })).status, 200);
  assert.equal((await ask(port, '/admin/.env', { cookie })).status, 403, 'a pass of the weak policy');
}

async function checkOtherHost({ port, provider }: Site): Promise<void> {
  const page = await ask(port, '/weak/.env');
  const answer = await answerPage(port, page, provider.solve('elsewhere.example'));
  assert.ok(isFailedAttempt(answer.body));
  assert.equal((await answerPage(port, page, provider.solve('LOCALHOST'))).status, 303);
}

async function openTrap(port: number, address: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET /trap/.env HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  const [bytes] = await once(socket, 'data');
  assert.match(String(bytes), /^HTTP\/1\.1 200 /);
  return socket;
}

async function checkFullTraps({ port, provider }: Site): Promise<void> {
  const address = '198.51.100.1';
  const sockets = await Promise.all(
    Array.from({ length: maxHeld }, (_, index) => openTrap(port, `192.0.2.${index + 1}`)),
  );
  assert.equal((await ask(port, '/trap/.env', { address })).status, 403, 'no trap is left');
  const page = await ask(port, '/weak/.env', { address });
  assert.equal((await answerPage(port, page, provider.solve(), { address })).status, 303);
  for (const socket of sockets) socket.destroy();
}

/** Guesses tokens until the server refuses. All addresses of an IPv6 /56 have one budget. */
async function sendGuesses({ port, provider }: Site): Promise<void> {
  const before = provider.verificationRequests.length;
  const state = stateOf(await ask(port, '/weak/.env', { address: '2001:db8::1' }));
  const form = { [captchaNames.stateField]: state, 'cf-turnstile-response': 'a guess' };
  let posts = 0;
  for (;;) {
    // The state is valid for all addresses of a /64.
    const { status, retryAfter, cookie } = await ask(port, captchaNames.path, { address: '2001:db8::2', form });
    posts += 1;
    assert.equal(cookie, undefined);
    if (status === 429) {
      assert.equal(retryAfter, String(limits.captchaSpanSeconds));
      break;
    }
    assert.ok(posts <= 2 * limits.captchaVerifications, 'as many as two spans allow');
  }
  assert.equal(provider.verificationRequests.length - before, posts - 1);
  const address = '2001:db8:0:ff::1';
  const other = stateOf(await ask(port, '/weak/.env', { address }));
  const sent = { address, form: { ...form, [captchaNames.stateField]: other } };
  assert.equal((await ask(port, captchaNames.path, sent)).status, 429, 'another /64 of the /56');
  const elsewhere = { address: '2001:db8:0:100::1' };
  const page = await ask(port, '/weak/.env', elsewhere);
  assert.equal((await answerPage(port, page, provider.solve(), elsewhere)).status, 303, 'another /56');
}

export async function runAttacks(t: TestContext, site: Site): Promise<void> {
  await t.test('a state or pass of one policy is nothing to another', () => checkOtherPolicies(site));
  await t.test('a solution for another host opens nothing', () => checkOtherHost(site));
  await t.test('traps that are full keep no visitor from passing', () => checkFullTraps(site));
  await t.test('guesses of one network end with 429', () => sendGuesses(site));
  await t.test('connections to the provider are kept', () => {
    const { connections, verificationRequests } = site.provider;
    assert.ok(
      connections() < verificationRequests.length / 4,
      `${connections()} connections for ${verificationRequests.length} requests`,
    );
  });
}
