/** Plays the scenes of the response mode in a real browser. */
import type { Browser, Page } from 'playwright-core';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { ProbeRequest, Skipped } from '../probe.ts';
import type { ProbeResult } from '../report.ts';
import type { Setting } from '../setting.ts';
import { findDriver } from './find.ts';
import { type Scene, scenes } from './scenes.ts';

/** Time limit for each action on a page. */
const actionTimeoutMs = 15_000;
/** Long, because a browser in a container on a busy machine starts slowly. */
const launchTimeoutMs = 120_000;

/** Disables Chromium's background traffic and first-run pages, and every host except localhost. */
const chromiumFlags = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
];

export interface SceneInput {
  readonly setting: Setting;
  readonly origin: string;
  /** Requests of the probe set. The scenes use one that a browser can send and the policy blocks. */
  readonly probeRequests: readonly ProbeRequest[];
  readonly signal: AbortSignal;
}

export interface BrowserInput extends SceneInput {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface BrowserReport {
  readonly results: readonly ProbeResult[];
  readonly skipped: readonly Skipped[];
}

/** True when a browser sends method, target and body unchanged. Browsers normalize paths and send no raw bytes. */
function isForBrowser({ method, target, body }: ProbeRequest, origin: string): boolean {
  if (method !== 'GET' || body !== undefined || !/^\/[!-~]*$/.test(target) || target.includes('#')) return false;
  const url = URL.parse(target, origin);
  return url !== null && url.origin === origin && url.pathname + url.search === target;
}

function blockedRequest({ setting, origin, probeRequests }: SceneInput): ProbeRequest | undefined {
  return probeRequests.find((request) => isForBrowser(request, origin) && setting.outcome(request).kind === 'blocked');
}

/** Answers requests to other origins with an empty response. */
async function answerOtherHosts(page: Page, origin: string): Promise<void> {
  await page.route(
    (url) => url.origin !== origin,
    (route) => route.fulfill({ status: 200, contentType: 'text/plain', body: '' }),
  );
}

async function playScene(
  page: Page,
  name: string,
  scene: Scene,
  request: ProbeRequest,
  input: SceneInput,
): Promise<ProbeResult> {
  const { response } = input.setting.policy;
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await answerOtherHosts(page, input.origin);
  await page.setExtraHTTPHeaders(Object.fromEntries(input.setting.clientHeaders));
  const url = input.origin + request.target;
  const problems = await scene
    .play({ page, url, response, complaints })
    .catch((error: Error) => [`the browser failed: ${error.message.split('\n')[0]}`]);
  return {
    ...{
      id: `browser:${name}`,
      source: 'browser',
      description: scene.description,
      ok: problems.length === 0,
      problems,
    },
    request: `GET ${request.target}`,
    expected: `mode ${response.mode}`,
    got: problems.length === 0 ? 'as expected' : 'see above',
    ...(problems.length > 0 && { repeat: url }),
  };
}

/** Starts a browser that contacts only localhost. */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  // The import takes most of a second, and not every machine has a browser.
  const { chromium } = await import('playwright-core');
  // Chromium's sandbox does not run as root.
  const chromiumSandbox = process.getuid?.() !== 0;
  return chromium.launch({ executablePath, args: chromiumFlags, chromiumSandbox, timeout: launchTimeoutMs });
}

const scenesOf = ({ mode, response }: Policy): (readonly [string, Scene])[] =>
  mode === 'detect' ? [] : Object.entries(scenes).filter(([, { modes }]) => modes.includes(response.mode));

function skipAll({ setting }: SceneInput, reason: string): BrowserReport {
  const skipped = scenesOf(setting.policy).map(([name]) => ({
    id: `browser:${name}`,
    source: 'browser' as const,
    reason,
  }));
  return { results: [], skipped };
}

export async function playScenes(browser: Browser, input: SceneInput): Promise<BrowserReport> {
  const request = blockedRequest(input);
  if (!request) return skipAll(input, 'no known request can be sent by a browser and is blocked by the policy');
  const results: ProbeResult[] = [];
  for (const [name, scene] of scenesOf(input.setting.policy)) {
    input.signal.throwIfAborted();
    const page = await browser.newPage();
    page.setDefaultTimeout(actionTimeoutMs);
    results.push(await playScene(page, name, scene, request, input));
    await page.close();
  }
  return { results, skipped: [] };
}

/** Plays the scenes. Without a browser or its packages, they are skipped with install instructions. */
export async function runBrowser({ env, ...input }: BrowserInput): Promise<BrowserReport> {
  if (scenesOf(input.setting.policy).length === 0) return { results: [], skipped: [] };
  const driver = findDriver(env);
  if ('lacks' in driver) return skipAll(input, driver.lacks);
  const browser = await launchBrowser(driver.path);
  const end = (): void => void browser.close();
  input.signal.addEventListener('abort', end, { once: true });
  try {
    return await playScenes(browser, input);
  } finally {
    input.signal.removeEventListener('abort', end);
    await browser.close();
  }
}
