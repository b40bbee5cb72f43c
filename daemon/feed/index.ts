/** The threat feed: decisions of a CrowdSec LAPI. */

import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { createComplainer } from '../audit/complainer.ts';
import { StoredFile } from '../audit/stored-file.ts';
import { hasPassed } from '../time/clock.ts';
import { jittered, pause } from '../time/pause.ts';
import { inTime } from '../time/timer.ts';
import type { ThreatFeed } from './feed.ts';
import { Follower } from './follower.ts';
import type { Holdings } from './holdings.ts';
import { pollDecisions } from './service.ts';
import { type FeedStore, feedStore } from './store.ts';
import { Usage } from './usage.ts';

interface FeedOptions {
  readonly config: Daemon;
  readonly dataDir: string;
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly recovered: (message: string) => void;
  /** The decisions in force. They outlive the feed. */
  readonly holdings: Holdings;
  /** Whether an earlier feed has filled `holdings`. If not, this feed adds the decisions on disk. */
  readonly isReplacement: boolean;
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

/** Limits the time of a disk operation. Rejects when the disk does not respond in time. */
const withinDiskTime = <Result>(work: Promise<Result>): Promise<Result> =>
  inTime(work, daemonBounds.diskMs, () => {
    throw new Error('the disk does not respond');
  });

async function restoreDecisions(store: FeedStore, { holdings, now, log }: FeedOptions): Promise<void> {
  try {
    const known = await withinDiskTime(store.load(now()));
    await holdings.merge({ fresh: new Map(known.map((keyed) => [keyed.key, keyed])), deleted: new Set() });
  } catch (error) {
    log(`threat feed: cannot read the decisions of the previous run (${codeOf(error)})`);
  }
}

/** Stores the decisions. Polls do not wait for it, because the disk may not respond. */
class Saver {
  readonly #file: StoredFile;
  readonly #now: () => number;
  #savedAt = Number.NEGATIVE_INFINITY;

  constructor(store: FeedStore, { holdings, now, log }: FeedOptions) {
    this.#now = now;
    const write = () => store.save(holdings.all());
    this.#file = new StoredFile({ write, problem: 'threat feed: cannot store decisions on disk', log });
  }

  problems(): readonly string[] {
    return this.#file.problems();
  }

  saveWhenDue(): void {
    if (!hasPassed(daemonBounds.feedSaveMs, this.#savedAt, this.#now())) return;
    this.#savedAt = this.#now();
    this.#file.save();
  }

  async saveLast(): Promise<void> {
    this.#file.save();
    await this.#file.close();
  }
}

async function reportUsage(usage: Usage, signal: AbortSignal, complain: (message: string) => void): Promise<void> {
  while (!signal.aborted) {
    await pause(jittered(daemonBounds.feedUsageMs, 0.9), signal);
    if (signal.aborted) return;
    await usage.report(signal).then(
      () => complain(''),
      (error) => complain(`threat feed: cannot report usage: ${(error as Error).message}`),
    );
  }
}

/** Resolves when the decisions of the previous run are in force or cannot be read. Then polls in the background. */
export async function createFeed(options: FeedOptions): Promise<ThreatFeed> {
  const { config, dataDir, now, log, recovered, holdings, isReplacement } = options;
  const { threatfeed } = config;
  const intervalMs = parseDuration(threatfeed.update_frequency) as number;
  const store = feedStore(dataDir);
  if (!isReplacement) await restoreDecisions(store, options);
  const end = new AbortController();
  const { signal } = end;
  const saver = new Saver(store, options);
  const usage = new Usage({ threatfeed, now, decisions: () => holdings.all() });
  const follower = new Follower({
    holdings,
    fetchDecisions: (isStartup) => pollDecisions({ threatfeed, isStartup, now, signal }),
    intervalMs,
    now,
    signal,
    log,
    recovered,
    onApplied: () => saver.saveWhenDue(),
  });
  const work = Promise.all([follower.run(), reportUsage(usage, signal, createComplainer(log))]);
  return {
    covering: (ip) => holdings.covering(ip),
    coveringAll: (prefix) => holdings.coveringAll(prefix),
    state: () => ({ ...follower.state(), decisions: holdings.size, updateFrequency: intervalMs / 1000 }),
    problems: () => [...follower.problems(), ...saver.problems()],
    list: ({ limit, cursor }) => {
      const { decisions, last } = holdings.page({ limit, after: cursor === undefined ? -1 : Number(cursor) });
      return { decisions, cursor: last === undefined ? undefined : String(last) };
    },
    account: (outcome, count) => usage.account(outcome, count),
    close: async () => {
      end.abort();
      await work;
      await saver.saveLast();
    },
  };
}
