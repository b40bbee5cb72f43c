/** The page of `guardcli dashboard report` in Chromium is accessible and printable, and loads nothing else. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityProblems } from '../../cli/probes/browser/accessibility.ts';
import { auditLine, blockLine, linesText, minutesAgo, now } from '../../cli/report/testing/examples.ts';
import { runCaptured } from '../../cli/testing/captured.ts';
import { sharedBrowser } from '../support/browser-process.ts';

const address = 'http://report.example/';
const hostile = `</title><script>document.title='run'</script><img src="${address}leak" onerror="document.title='run'">`;
const events = linesText(
  Array.from({ length: 300 }, (_, index) => [
    blockLine({ timestamp: minutesAgo(index), rule_id: `rule-${index % 9}`, client_ip: `192.0.2.${index % 40}` }),
    blockLine({ path: hostile, rule_id: hostile, gateway: hostile, user_agent: hostile }),
    auditLine({ timestamp: minutesAgo(index), client_ip: `192.0.2.${index % 50}` }),
  ]).flat(),
);

interface Opened {
  readonly page: Page;
  /** URLs that the page requested, including its address. */
  readonly requests: readonly string[];
  /** Messages of the browser, such as violations of the content security policy. */
  readonly complaints: readonly string[];
}

async function open(t: TestContext, html: string, options: BrowserContextOptions): Promise<Opened> {
  const page = await (await sharedBrowser()).newPage(options);
  t.after(() => page.close());
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.route('**/*', (route) => {
    requests.push(route.request().url());
    return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html });
  });
  await page.goto(address);
  return { page, requests, complaints };
}

/** Script for the page. Returns overflowing elements, the number of wrapped dates, and the sizes of totals. */
const measured = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    wide: all('body, .wide, .totals, .totals div').filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML.slice(0, 80)),
    wrapped: all('time').filter((one) => one.getClientRects().length > 1).length,
    totals: [...new Set(all('.totals div').map((one) => Math.round(one.getBoundingClientRect().width) + 'x' + Math.round(one.getBoundingClientRect().height)))],
  };
})()`;

for (const width of [500, 1200])
  test(`the page of a report, ${width} pixels wide`, async (t) => {
    const { stdout: html } = await runCaptured(['dashboard', 'report', '-'], { stdin: events, now });
    const { page } = await open(t, html, { viewport: { width, height: 900 } });
    const found = (await page.evaluate(measured)) as Record<'wide' | 'totals', string[]> & { readonly wrapped: number };
    assert.deepEqual([found.wide, found.wrapped, found.totals.length], [[], 0, 1], JSON.stringify(found));
    assert.deepEqual(await accessibilityProblems(page), []);
  });

test('the page of a report on a narrow screen is not a long list of empty values', async (t) => {
  const { stdout: html } = await runCaptured(['dashboard', 'report', '-'], { stdin: events, now });
  const heights: number[] = [];
  const { page } = await open(t, html, { viewport: { width: 1200, height: 900 } });
  for (const width of [1200, 500]) {
    await page.setViewportSize({ width, height: 900 });
    heights.push(Number(await page.evaluate('document.documentElement.scrollHeight')));
  }
  const [wide = 0, narrow = 0] = heights;
  assert.ok(narrow < 2.5 * wide, heights.join());
});

const backgroundOf = (page: Page): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');

for (const [colorScheme, background] of [
  ['light', 'rgb(255, 255, 255)'],
  ['dark', 'rgb(22, 22, 26)'],
] as const)
  test(`the page of a report, ${colorScheme}`, async (t) => {
    const argv = ['dashboard', 'report', '-'];
    const { stdout: html } = await runCaptured(argv, { stdin: events, now });
    const { page, requests, complaints } = await open(t, html, { colorScheme });
    assert.equal(await backgroundOf(page), background, 'its style is in force');
    for (const details of await page.locator('summary').all()) await details.click();
    assert.deepEqual(await accessibilityProblems(page), []);
    const names = await page.getByRole('img').evaluateAll((images) => images.length);
    assert.equal(names, 2, 'each chart is an image with a name');
    assert.ok(await page.getByRole('table', { name: /Blocked over time by rule/ }).isVisible());
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByRole('navigation').isVisible(), false);
    assert.equal(await backgroundOf(page), 'rgb(255, 255, 255)');
    assert.equal(await page.title(), 'What was blocked', 'nothing of an event ran');
    assert.deepEqual({ requests, complaints }, { requests: [address], complaints: [] });
  });
