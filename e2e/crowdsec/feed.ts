import type { TestContext } from 'node:test';
import { type Daemon, daemonSchema } from '../../contract/daemon/schema.ts';
import type { ThreatFeed } from '../../daemon/feed/feed.ts';
import { Holdings } from '../../daemon/feed/holdings.ts';
import { createFeed } from '../../daemon/feed/index.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { type CrowdSec, machine } from './process.ts';

export const dataFolder = (): string => scratchFolder('guard-crowdsec-test-');

export const timeout = 600_000;

export function threatfeedFor({ url, apiKey }: CrowdSec) {
  const { id: machine_id, password } = machine;
  return { enabled: true, lapi_url: url, api_key: apiKey, update_frequency: '1s', push: true, machine_id, password };
}

export const configFor = (crowdsec: CrowdSec): Daemon =>
  daemonSchema().parse({ version: 1, threatfeed: threatfeedFor(crowdsec) });

export interface FollowOptions {
  readonly dataDir?: string;
  /** Milliseconds by which the clock of the feed is ahead. */
  readonly clock?: { readonly ahead: number };
}

export async function startFeed(t: TestContext, crowdsec: CrowdSec, options: FollowOptions = {}): Promise<ThreatFeed> {
  const { dataDir = dataFolder(), clock = { ahead: 0 } } = options;
  const now = () => Date.now() + clock.ahead;
  const feed = await createFeed({
    config: configFor(crowdsec),
    dataDir,
    now,
    log: () => undefined,
    recovered: () => undefined,
    holdings: new Holdings(now),
    isReplacement: false,
  });
  t.after(() => feed.close());
  return feed;
}
