/** For tests: a feed that polls every 5 milliseconds, and functions that wait for its requests. */
import type { TestContext } from 'node:test';
import { type Daemon, daemonSchema } from '../../../contract/daemon/schema.ts';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import { until } from '../../../platform/testing/until.ts';
import type { ThreatFeed } from '../feed.ts';
import { Holdings } from '../holdings.ts';
import { createFeed } from '../index.ts';
import { type FakeLapi, fakeLapi, type Reply } from './fake-lapi.ts';

export const defaults: Daemon = daemonSchema().parse({ version: 1 });

export interface Running {
  readonly lapi: FakeLapi;
  readonly feed: ThreatFeed;
  readonly dataDir: string;
  readonly said: string[];
  readonly clock: { ahead: number };
}

/** A feed that polls every 5 milliseconds. */
export async function run(t: TestContext, first: Reply, dataDir = scratchFolder('guard-feed-')): Promise<Running> {
  const lapi = await fakeLapi(t, first);
  const said: string[] = [];
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  const threatfeed = {
    ...defaults.threatfeed,
    enabled: true,
    lapi_url: lapi.url,
    api_key: 'k',
    update_frequency: '5ms',
  };
  const feed = await createFeed({
    config: { ...defaults, threatfeed },
    dataDir,
    now,
    log: (message) => said.push(message),
    recovered: (message) => said.push(message),
    holdings: new Holdings(now),
    isReplacement: false,
  });
  t.after(() => feed.close());
  return { lapi, feed, dataDir, said, clock };
}

/** Resolves when the feed has sent `count` more requests and has handled all responses but the last. */
export async function untilRequests(lapi: FakeLapi, count: number): Promise<void> {
  const target = lapi.requests.length + count;
  await until(() => lapi.requests.length >= target);
}

export const startupRequest = 'GET /v1/decisions/stream?startup=true&scopes=ip,range';
export const deltaRequest = 'GET /v1/decisions/stream?startup=false&scopes=ip,range';
