import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { captchaNames, captchaTexts } from '../../../contract/policy/captcha.ts';
import { limits } from '../../../contract/policy/limits.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { until } from '../../../platform/testing/until.ts';
import { type CaptchaProvider, faultNames, startProvider } from '../captcha/provider.ts';
import { type Answer, answerPage, ask, signedPass, signedRule } from '../captcha/visitor.ts';
import type { Section } from './sections.ts';

const secret = 'the secret of these tests';
const refusal = /^403 Forbidden\nReference: [0-9A-Z]{10}\n$/;

/** More rules than the passes of a request can excuse. */
const manyPatterns = Array.from({ length: limits.captchaRules + 1 }, (_, index) => `^/many(?:/${index})?`);

interface Site {
  readonly port: number;
  readonly provider: CaptchaProvider;
  /** Address that the guard sees for the visitor. */
  readonly peer: string;
}

function policyFor(provider: CaptchaProvider, peer: string): Policy {
  const captcha = {
    ...{ provider: 'turnstile', siteKey: 'k', secretKey: provider.secretKey },
    verifyUrl: `http://${peer}:${provider.port}${provider.verifyPath}`,
  };
  return Policy.parse({
    secret,
    blockPatterns: ['^/private/', '^/other/', '^/[a-z]+/both', ...manyPatterns],
    response: { mode: 'captcha', captcha, maxHeldPerAddress: 1 },
  });
}

const isChallenge = ({ status, body }: Answer): boolean => status === 403 && body.includes('<form method="post"');

/** Solves captchas until the response for a path is not a challenge. */
async function solveAll({ port, provider }: Site, path: string): Promise<{ cookies: string[]; last: Answer }> {
  const cookies: string[] = [];
  for (;;) {
    const last = await ask(port, path, { cookie: cookies.join('; ') });
    if (!isChallenge(last)) return { cookies, last };
    assert.ok(cookies.length <= limits.captchaRules, 'the visitor is challenged without end');
    const back = await answerPage(port, last, provider.solve());
    assert.deepEqual([back.status, back.location], [303, path]);
    cookies.push(back.cookie ?? '');
  }
}

async function checkPasses(t: TestContext, site: Site): Promise<void> {
  const { port, provider, peer } = site;
  const challenged = async (path: string, sent: Parameters<typeof ask>[2]) =>
    assert.ok(isChallenge(await ask(port, path, sent)));
  const {
    cookies: [cookie = ''],
  } = await solveAll(site, '/private/x');
  const [name = ''] = cookie.split('=');

  await t.test('a solved challenge leads through to the backend', async () => {
    const { last, cookies } = await solveAll(site, '/private/x?a=1');
    assert.deepEqual([last.status, cookies.length], [200, 1]);
    assert.match(last.body, /\/private\/x\?a=1/);
    assert.equal(provider.verificationRequests.at(-1)?.address, peer);
    await challenged('/private/x?a=1', {}); // the next visitor has no pass
  });

  await t.test('the pass excuses neither another rule nor a limit', async () => {
    await challenged('/other/x', { cookie });
    assert.match((await ask(port, `/private/${'a'.repeat(limits.pathBytes)}`, { cookie })).body, refusal);
  });

  await t.test('another host needs its own', () => challenged('/private/x', { cookie, host: 'other.example' }));

  await t.test('passes that are forged, expired or foreign do nothing', async () => {
    const captcha = policyFor(provider, peer).response.captcha ?? assert.fail('no captcha');
    const good = {
      captcha,
      expiry: Math.floor(Date.now() / 1000) + 3000,
      network: peer,
      host: 'localhost',
      rule: signedRule('block[0]', '^/private/'),
    };
    const shown = (value: string) => ({ cookie: `${name}=${value}` });
    assert.equal((await ask(port, '/private/x', shown(signedPass(secret, good)))).status, 200);
    for (const value of [
      signedPass('another secret of theirs', good),
      signedPass(secret, { ...good, expiry: 1_700_000_000 }),
      signedPass(secret, { ...good, expiry: 4_000_000_000 }),
      signedPass(secret, { ...good, captcha: { ...captcha, passMinutes: 1440 } }),
      signedPass(secret, { ...good, network: '192.0.2.7' }),
      signedPass(secret, { ...good, host: 'other.example' }),
      signedPass(secret, { ...good, rule: signedRule('block[1]', '^/private/') }),
      signedPass(secret, { ...good, rule: signedRule('block[0]', '^/other/') }),
      signedPass(secret, good).replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    ])
      await challenged('/private/x', shown(value));
  });

  await t.test('each rule on the way is solved once', async () => {
    const { last, cookies } = await solveAll(site, '/private/both');
    assert.deepEqual([last.status, cookies.length], [200, 2]);
  });

  await t.test('challenges end when more rules match than can be excused', async () => {
    const { last, cookies } = await solveAll(site, '/many');
    assert.deepEqual([last.status, cookies.length], [403, limits.captchaRules]);
    assert.match(last.body, refusal);
  });
}

function assertNotExcused(answer: Answer): void {
  assert.deepEqual([answer.status, answer.cookie], [403, undefined]);
  assert.ok(isChallenge(answer) && answer.body.includes(captchaTexts.alert));
}

async function checkFormResponses(t: TestContext, { port, provider }: Site): Promise<void> {
  await t.test('a token is good once', async () => {
    const token = provider.solve();
    const page = await ask(port, '/private/x');
    assert.equal((await answerPage(port, page, token)).status, 303);
    assert.ok((await answerPage(port, page, token)).body.includes(captchaTexts.alert));
  });

  await t.test('a page answers the visitor it was made for', async () => {
    const page = await ask(port, '/private/x');
    const answer = await answerPage(port, page, provider.solve(), { host: 'other.example' });
    assert.deepEqual([answer.status, answer.cookie], [403, undefined]);
  });

  for (const fault of faultNames.filter((name) => name !== 'slow'))
    await t.test(`a provider that is ${fault} excuses no visitor`, async () => {
      provider.fail(fault);
      const answer = await answerPage(port, await ask(port, '/private/x'), provider.solve());
      provider.fail();
      assertNotExcused(answer);
    });

  await t.test(
    'a provider that is slow excuses no visitor, and more verifications than are held are refused',
    async () => {
      provider.fail('slow');
      const [page, count] = [await ask(port, '/private/x'), provider.verificationRequests.length];
      const first = answerPage(port, page, provider.solve());
      await until(async () => provider.verificationRequests.length > count, 'the provider to be asked');
      assert.equal((await answerPage(port, page, provider.solve())).status, 429);
      const answer = await first;
      provider.fail();
      assertNotExcused(answer);
    },
  );

  await t.test('the path of answers takes POST alone', async () => {
    for (const method of ['GET', 'HEAD', 'PUT']) {
      const { status, allow } = await ask(port, captchaNames.path, { method });
      assert.deepEqual([status, allow], [405, 'POST']);
    }
  });
}

export async function captchaSection(t: TestContext, peer: string): Promise<Section> {
  const provider = await startProvider(t);
  const run: Section['run'] = async (one, [served]) => {
    assert.ok(served);
    const site = { port: served.port, provider, peer };
    await checkPasses(one, site);
    await checkFormResponses(one, site);
  };
  return { policies: [policyFor(provider, peer)], run };
}
