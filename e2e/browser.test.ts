/** What a person sees in Chromium, behind each real proxy: every scene of every mode, and the whole way through a captcha. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chromium } from 'playwright-core';
import { findBrowser } from '../cli/probes/browser/find.ts';
import { runBrowser } from '../cli/probes/browser/run.ts';
import { scenes } from '../cli/probes/browser/scenes.ts';
import { requestFor } from '../cli/probes/probe.ts';
import { type ProxyTarget, proxies } from '../cli/targets/table.ts';
import { modeNames } from '../contract/policy/modes.ts';
import { Policy } from '../contract/policy/schema.ts';
import { packageRoot } from '../platform/assets.ts';
import { type CaptchaProvider, startProvider } from './captcha-provider.ts';
import { type Served, serve } from './policies.ts';
import { skip } from './support.ts';

/** The one of the test image, whichever this machine has. */
const env = { ...process.env, PATH: join(packageRoot, 'scripts/test-image/bin') };
const browser = findBrowser(env) ?? assert.fail('the test image has no Chromium');

const challenge = { provider: 'hcaptcha', siteKey: 'k' };
const policies = modeNames
  .filter((mode) => Object.values(scenes).some(({ modes }) => modes.includes(mode)))
  .map((mode) => Policy.parse({ response: { mode, redirectUrl: 'https://away.example/x?y=1', captcha: challenge } }));

async function playScenes(t: TestContext, { policy, port, setting }: Served): Promise<void> {
  await t.test(policy.response.mode, async () => {
    const known = [requestFor('/%2eenv'), requestFor('/.env')];
    const origin = `http://localhost:${port}`;
    const { signal } = new AbortController();
    const { results, skipped } = await runBrowser({ setting, origin, known, env, signal });
    assert.deepEqual(skipped, []);
    assert.ok(results.length > 0);
    for (const { id, problems } of results) assert.deepEqual(problems, [], id);
  });
}

/** A visitor who ticks the box of the widget and presses the button. */
async function solve(t: TestContext, { port }: Served, provider: CaptchaProvider): Promise<void> {
  const chromiumSandbox = process.getuid?.() !== 0;
  const running = await chromium.launch({ executablePath: browser, chromiumSandbox });
  t.after(() => running.close());
  const page = await running.newPage();
  // The page asks its provider for the widget, and has the one of this machine.
  await page.route(
    (url) => url.hostname !== 'localhost',
    (route) => route.fulfill({ contentType: 'text/javascript', body: provider.widget() }),
  );
  const url = `http://localhost:${port}/private/x?a=1`;
  assert.equal((await page.goto(url))?.status(), 403);
  await page.getByRole('checkbox').check();
  await page.getByRole('button').click();
  await page.waitForURL(url);
  assert.match(await page.locator('body').innerText(), /^GET \/private\/x\?a=1 HTTP\/1\.1/);
  assert.equal((await page.goto(url))?.status(), 200, 'and again, with the pass');
  assert.equal((await page.goto(`http://localhost:${port}/.env`))?.status(), 403, 'another rule still blocks');
}

async function passCaptcha(t: TestContext, target: ProxyTarget, peer: string): Promise<void> {
  const provider = await startProvider(t);
  const verifyUrl = `http://${peer}:${provider.port}${provider.verifyPath}`;
  const captcha = { ...challenge, secretKey: provider.secretKey, verifyUrl };
  const policy = Policy.parse({ blockPatterns: ['^/private/'], response: { mode: 'captcha', captcha } });
  const [site] = await serve(t, target, [policy]);
  assert.ok(site);
  await t.test('a solved captcha lets the visitor through', () => solve(t, site, provider));
}

for (const target of proxies) {
  test(`a browser behind ${target.name}`, { skip }, async (t) => {
    const sites = await serve(t, target, policies);
    for (const site of sites) await playScenes(t, site);
    await passCaptcha(t, target, sites[0]?.setting.peer ?? '');
  });
}
