/** What a person sees whose request was blocked: one row a scene, by response mode. */
import type { Page, Response as PageResponse } from 'playwright-core';
import type { Mode } from '../../../contract/policy/modes.ts';
import type { Response } from '../../../contract/policy/schema.ts';
import { blockedStatus } from '../wire.ts';
import { accessibilityProblems } from './accessibility.ts';

/** A page in front of a request that the policy blocks. */
export interface Stage {
  readonly page: Page;
  /** Of the blocked request. */
  readonly url: string;
  readonly response: Response;
  /** What the browser complained about: errors of its console, with what the page's own policy kept away. */
  readonly complaints: readonly string[];
}

export interface Scene {
  readonly description: string;
  readonly modes: readonly Mode[];
  /** What is wrong, one clause each. */
  readonly play: (stage: Stage) => Promise<readonly string[]>;
}

const statusProblems = (answer: PageResponse | null, response: Response): string[] => {
  const expected = blockedStatus(response);
  return answer?.status() === expected ? [] : [`status ${answer?.status()}, expected ${expected}`];
};

const visibleText = (page: Page): Promise<string> => page.locator('body').innerText();

async function showsPage({ page, url, response }: Stage): Promise<readonly string[]> {
  const answer = await page.goto(url);
  const text = await visibleText(page);
  return [...statusProblems(answer, response), ...(text.trim() === '' ? ['the page shows nothing'] : [])];
}

/** Where the browser goes in the end; another origin than the sandbox's cannot be reached, and need not be. */
async function lands({ page, url, response }: Stage): Promise<readonly string[]> {
  const visited: string[] = [];
  page.on('request', (request) => request.isNavigationRequest() && visited.push(request.url()));
  await page.goto(url).catch(() => {});
  const expected = new URL(response.redirectUrl, url).href;
  return visited.at(-1) === expected ? [] : [`the browser went to ${visited.at(-1)}, expected ${expected}`];
}

async function dropped({ page, url }: Stage): Promise<readonly string[]> {
  const outcome = await page.goto(url).then(
    () => 'a page',
    (error: Error) => error.message,
  );
  return /ERR_EMPTY_RESPONSE|ERR_CONNECTION_(?:CLOSED|RESET)/.test(outcome)
    ? []
    : [`expected the browser's own error, got ${outcome.split('\n')[0]}`];
}

async function challenges({ page, url, response, complaints }: Stage): Promise<readonly string[]> {
  const answer = await page.goto(url);
  const { captcha } = response;
  const problems = statusProblems(answer, response);
  if ((await page.locator(`[data-sitekey="${captcha?.siteKey}"]`).count()) !== 1) problems.push('there is no widget');
  if ((await page.getByRole('heading').first().innerText()) !== captcha?.title)
    problems.push('the title is not the one of the policy');
  return [...problems, ...complaints.filter((text) => /Content Security Policy/.test(text))];
}

/** Without a solved challenge the button leads to the same page, and says so. */
async function staysClosed({ page, url, response }: Stage): Promise<readonly string[]> {
  if (response.captcha?.secretKey === undefined) return [];
  await page.goto(url);
  const [answer] = await Promise.all([page.waitForNavigation(), page.getByRole('button').click()]);
  const problems = statusProblems(answer, response);
  const alerts = await page.getByRole('alert').count();
  return alerts === 1 ? problems : [...problems, 'the page does not say that the check failed'];
}

async function readable({ page, url }: Stage): Promise<readonly string[]> {
  await page.goto(url);
  return accessibilityProblems(page);
}

export const scenes: Readonly<Record<string, Scene>> = {
  page: {
    description: 'the answer is a page with something on it',
    modes: ['html', 'text', 'json', 'xml', 'ratelimit'],
    play: showsPage,
  },
  accessible: { description: 'the page has no faults that axe finds', modes: ['html', 'captcha'], play: readable },
  redirect: { description: 'the redirect lands where the policy says', modes: ['redirect'], play: lands },
  decoy: { description: 'the decoy shows like the real thing', modes: ['fake_success'], play: showsPage },
  drop: { description: 'the browser shows its own error', modes: ['silent_drop'], play: dropped },
  challenge: {
    description: 'the challenge shows, and its own security policy lets it',
    modes: ['captcha'],
    play: challenges,
  },
  unsolved: { description: 'who solves nothing stays outside', modes: ['captcha'], play: staysClosed },
};
