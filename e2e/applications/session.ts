/** A person uses an application in a browser, through the guard in Caddy. */
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import type { TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { generateCaddy } from '../../cli/generate/caddy.ts';
import { loadPolicy } from '../../contract/load/policy.ts';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { startCaddy } from '../caddy/process.ts';
import { freePort } from '../support/guardcli.ts';
import type { Application } from './application.ts';
import { type RunningHost, startHost } from './host.ts';
import { recordingOf } from './recording.ts';
import { startRelay } from './relay.ts';

/** Time limit for each action on a page, because applications compile their pages at first use. */
const actionTimeoutMs = 30_000;

/** The policy of a user who writes none. */
const policyFile: PolicyFile = {};

export interface Session {
  /** Lines of the recording. */
  readonly recording: readonly string[];
  /** Lines that the guard wrote. */
  readonly events: readonly string[];
  /** Why the person could not finish. */
  readonly failure: Error | undefined;
}

function guardOf(events: string): string {
  const file = { ...policyFile, securityLogFile: events };
  const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), 'policy');
  if (!loaded.ok) throw new Error('the policy is not valid');
  return generateCaddy(loaded.value);
}

const statusOf = (port: number, path: string): Promise<number> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, agent: false, headers: { host: `localhost:${port}` } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', () => resolve(0));
  });

async function browse({ use }: Application, browser: Browser, host: RunningHost): Promise<void> {
  const context = await browser.newContext({ baseURL: host.origin, viewport: { width: 1280, height: 1000 } });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(actionTimeoutMs);
    page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
    await use(page, host.folder).catch(async (error: Error) => {
      const text = await page.innerText('body').catch(() => '');
      throw new Error(`${error.message}\nat ${page.url()}\n${text.slice(0, 2000)}\n${host.output().slice(-3000)}`);
    });
  } finally {
    await context.close();
  }
}

async function sessionOf(t: Pick<TestContext, 'after'>, application: Application, browser: Browser): Promise<Session> {
  let guarded = 0;
  const relay = await startRelay(t, () => guarded);
  const host = startHost(t, await freePort(), `http://localhost:${relay.port}`);
  const site = await application.serve(host);
  const log = `${host.folder}/events.jsonl`;
  const caddy = await startCaddy(t, {
    site: (port) => `http://:${port} {\n${guardOf(log)}\n${site}\n}\n`,
  });
  guarded = caddy.port;
  await until(
    async () => [200, 302, 303, 301].includes(await statusOf(guarded, application.ready)),
    () => `${application.name} to respond: ${host.output().slice(-3000)}`,
  );
  const events = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []);
  const before = events().length;
  const failure = await browse(application, browser, host).then(
    () => undefined,
    (error: Error) => error,
  );
  return { recording: recordingOf(relay.requests, relay.port), events: events().slice(before), failure };
}

/** Uses an application once. Its servers have ended when this returns. */
export async function runSession(application: Application, browser: Browser): Promise<Session> {
  const ends: (() => unknown)[] = [];
  try {
    const owner = { after: (end: () => unknown) => void ends.unshift(end) };
    return await sessionOf(owner as never, application, browser);
  } finally {
    for (const end of ends) await end();
  }
}
