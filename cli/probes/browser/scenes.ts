/** What a blocked visitor sees in a browser. The response mode selects the scenes. */
import type { Page, Response as PageResponse } from 'playwright-core';
import { type Mode, statusOf } from '../../../contract/policy/modes.ts';
import type { Response } from '../../../contract/policy/schema.ts';
import { accessibilityProblems } from './accessibility.ts';

interface Stage {
  readonly page: Page;
  readonly url: string;
  readonly response: Response;
  /** Console errors, including violations of the Content-Security-Policy. */
  readonly complaints: readonly string[];
}

export interface Scene {
  readonly description: string;
  readonly modes: readonly Mode[];
  readonly play: (stage: Stage) => Promise<readonly string[]>;
}

const statusProblems = (answer: PageResponse | null, response: Response): string[] => {
  const expected = statusOf(response);
  return answer?.status() === expected ? [] : [`status ${answer?.status()}, expected ${expected}`];
};

const visibleText = (page: Page): Promise<string> => page.locator('body').innerText();

async function pageProblems({ page, url, response }: Stage): Promise<readonly string[]> {
  const answer = await page.goto(url);
  const text = await visibleText(page);
  return [...statusProblems(answer, response), ...(text.trim() === '' ? ['the page shows nothing'] : [])];
}

/** The browser must follow the redirect. Compares only the address, because other origins are unreachable. */
async function redirectProblems({ page, url, response }: Stage): Promise<readonly string[]> {
  const visited: string[] = [];
  page.on('request', (request) => request.isNavigationRequest() && visited.push(request.url()));
  await page.goto(url).catch(() => {});
  const expected = new URL(response.redirectUrl, url).href;
  return visited.at(-1) === expected ? [] : [`the browser went to ${visited.at(-1)}, expected ${expected}`];
}

async function dropProblems({ page, url }: Stage): Promise<readonly string[]> {
  const outcome = await page.goto(url).then(
    () => 'a page',
    (error: Error) => error.message,
  );
  return /ERR_EMPTY_RESPONSE|ERR_CONNECTION_(?:CLOSED|RESET)/.test(outcome)
    ? []
    : [`expected the browser's own error, got ${outcome.split('\n')[0]}`];
}

async function challengeProblems({ page, url, response, complaints }: Stage): Promise<readonly string[]> {
  const answer = await page.goto(url);
  const { captcha } = response;
  const problems = statusProblems(answer, response);
  if ((await page.locator(`[data-sitekey="${captcha?.siteKey}"]`).count()) !== 1)
    problems.push('the page has no widget');
  if ((await page.getByRole('heading').first().innerText()) !== captcha?.title)
    problems.push('the title is not the one of the policy');
  return [...problems, ...complaints.filter((text) => /Content Security Policy/.test(text))];
}

/** When the challenge is not solved, the button must reload the page with an error message. */
async function unsolvedProblems({ page, url, response }: Stage): Promise<readonly string[]> {
  if (response.captcha?.secretKey === undefined) return [];
  await page.goto(url);
  const [answer] = await Promise.all([page.waitForNavigation(), page.getByRole('button').click()]);
  const problems = statusProblems(answer, response);
  const alerts = await page.getByRole('alert').count();
  return alerts === 1 ? problems : [...problems, 'the page does not report that the check failed'];
}

async function axeProblems({ page, url }: Stage): Promise<readonly string[]> {
  await page.goto(url);
  return accessibilityProblems(page);
}

export const scenes: Readonly<Record<string, Scene>> = {
  page: {
    description: 'the response is a page with visible content',
    modes: ['html', 'text', 'json', 'xml', 'ratelimit'],
    play: pageProblems,
  },
  accessible: { description: 'axe finds no faults in the page', modes: ['html', 'captcha'], play: axeProblems },
  redirect: {
    description: 'the redirect leads to the target of the policy',
    modes: ['redirect'],
    play: redirectProblems,
  },
  decoy: { description: 'the browser displays the decoy', modes: ['fake_success'], play: pageProblems },
  drop: { description: 'the browser shows its own error', modes: ['silent_drop'], play: dropProblems },
  challenge: {
    description: 'the browser displays the challenge without violations of its security policy',
    modes: ['captcha'],
    play: challengeProblems,
  },
  unsolved: {
    description: 'a visitor without a solved challenge stays blocked',
    modes: ['captcha'],
    play: unsolvedProblems,
  },
};
