/** Checks in Chromium what a person sees behind a real proxy. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { playScenes, runBrowser } from '../../../cli/probes/browser/run.ts';
import { scenes } from '../../../cli/probes/browser/scenes.ts';
import { requestFor } from '../../../cli/probes/probe.ts';
import { modeNames } from '../../../contract/policy/modes.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { env, sharedBrowser } from '../../support/browser-process.ts';
import { type CaptchaProvider, startProvider } from '../captcha/provider.ts';
import type { Served } from '../policies.ts';
import type { Section } from './sections.ts';

const challenge = { provider: 'hcaptcha', siteKey: 'k' };
const policies = modeNames
  .filter((mode) => Object.values(scenes).some(({ modes }) => modes.includes(mode)))
  .map((mode) => Policy.parse({ response: { mode, redirectUrl: 'https://away.example/x?y=1', captcha: challenge } }));

/** Tests one mode. `isAlone` starts a separate browser, as `guardcli sandbox --test` does. */
async function playMode(t: TestContext, { policy, port, setting }: Served, isAlone: boolean): Promise<void> {
  await t.test(policy.response.mode, async () => {
    const probeRequests = [requestFor('/%2eenv'), requestFor('/.env')];
    const input = { setting, origin: `http://localhost:${port}`, probeRequests, signal: t.signal };
    const { results, skipped } = isAlone
      ? await runBrowser({ ...input, env })
      : await playScenes(await sharedBrowser(), input);
    assert.deepEqual(skipped, []);
    assert.ok(results.length > 0);
    for (const { id, problems } of results) assert.deepEqual(problems, [], id);
  });
}

async function solve(t: TestContext, { port }: Served, provider: CaptchaProvider): Promise<void> {
  const page = await (await sharedBrowser()).newPage();
  t.after(() => page.close());
  // The script of the provider on this machine replaces the real one.
  await page.route(
    (url) => url.hostname !== 'localhost',
    (route) => route.fulfill({ contentType: 'text/javascript', body: provider.widgetScript() }),
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

export async function browserSection(t: TestContext, peer: string): Promise<Section> {
  const provider = await startProvider(t);
  const verifyUrl = `http://${peer}:${provider.port}${provider.verifyPath}`;
  const captcha = { ...challenge, secretKey: provider.secretKey, verifyUrl };
  const solved = Policy.parse({ blockPatterns: ['^/private/'], response: { mode: 'captcha', captcha } });
  const run: Section['run'] = async (one, sites) => {
    for (const [index, site] of sites.slice(0, -1).entries()) await playMode(one, site, index === 0);
    await one.test('a solved captcha lets the visitor through', (test) =>
      solve(test, sites.at(-1) as Served, provider),
    );
  };
  return { policies: [...policies, solved], run };
}
