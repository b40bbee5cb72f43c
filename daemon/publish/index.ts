/** Publishes bans and decisions of the threat feed as a file for the guards in proxies (contract/policy/ban-list.ts). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { rangeLines } from '../../contract/policy/ban-list.ts';
import { limits } from '../../contract/policy/limits.ts';
import { banListFile } from '../../engine/ban-list-file.ts';
import { replaceFile } from '../../platform/regular-file.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';
import { createComplainer } from '../audit/complainer.ts';
import type { Bans } from '../bans/ban.ts';
import type { Holdings } from '../feed/holdings.ts';
import { ownAddresses } from '../process/limits.ts';
import { after } from '../time/timer.ts';
import { type Banned, bannedRanges } from './ranges.ts';

const { publishMs, publishShare, publishAgainMs } = daemonBounds;
const perTurn = 1000; // entries or ranges of one turn of the event loop, which takes a millisecond
const readableForAll = 0o644;

export interface PublishSources {
  readonly bans: Pick<Bans, 'all' | 'watch'>;
  readonly decisions: Pick<Holdings, 'watch' | 'prefixes'>;
  readonly now: () => number;
  readonly fault: (message: string) => void;
}

export interface PublishState {
  /** Ranges in the file. */
  readonly entries: number;
  /** Bans and decisions that the file has no room for. */
  readonly leftOut: number;
}

export class Publisher {
  readonly #config: Daemon;
  readonly #sources: PublishSources;
  readonly #complain;
  readonly #stopWatching: readonly (() => void)[];
  #state: PublishState = { entries: 0, leftOut: 0 };
  /** Waits for the next write. Absent while a write runs. */
  #cancelWait: (() => void) | undefined = () => {};
  #isChanged = false;
  #isClosed = false;
  #nextAt = 0;
  #write: Promise<void> = Promise.resolve();

  constructor(config: Daemon, sources: PublishSources) {
    this.#config = config;
    this.#sources = sources;
    this.#complain = createComplainer(sources.fault);
    this.#stopWatching = [
      sources.bans.watch((change) => {
        if (change.kind !== 'unbanned' || change.why !== 'expired') this.#changed(); // readers know each end
      }),
      sources.decisions.watch(this.#changed),
    ];
    this.#wait(0);
  }

  #changed = (): void => {
    if (this.#isChanged) return;
    this.#isChanged = true;
    if (this.#cancelWait) this.#wait(Math.max(0, this.#nextAt - performance.now()));
  };

  #wait(ms: number): void {
    if (this.#isClosed) return;
    this.#cancelWait?.();
    this.#cancelWait = after(ms, () => {
      this.#cancelWait = undefined;
      this.#write = this.#publish();
    });
  }

  async #publish(): Promise<void> {
    const began = performance.now();
    this.#isChanged = false;
    try {
      await this.#writeList();
      this.#complain('');
    } catch (error) {
      this.#isChanged = true;
      this.#complain(`cannot publish the bans: ${(error as Error).message}`);
    }
    const took = performance.now() - began;
    this.#nextAt = began + Math.max(publishMs, took * publishShare);
    this.#wait(this.#isChanged ? this.#nextAt - performance.now() : publishAgainMs);
  }

  async #writeList(): Promise<void> {
    const { global } = this.#config;
    const written = Math.floor(this.#sources.now() / 1000);
    const exempt = [...global.never_ban, ...ownAddresses()].flatMap((text) => readPrefix(text) ?? []);
    const { banned, leftOut } = await this.#collect(limits.banListRanges);
    const latest = (written + limits.banListSeconds) * 1000;
    let lines = await this.#lines(banned, exempt, latest);
    let dropped = 0;
    // Holes and overlaps divide ranges. The last entries are of lists.
    while (lines.length > limits.banListRanges) {
      dropped += banned.splice(banned.length - (lines.length - limits.banListRanges)).length;
      lines = await this.#lines(banned, exempt, latest);
    }
    await replaceFile(this.#config.bans.publish, async (file) => {
      await file.chmod(readableForAll);
      await file.writeFile(banListFile(lines, written));
    });
    this.#state = { entries: lines.length, leftOut: leftOut + dropped };
  }

  /** Returns the first bans, then the first decisions. */
  async #collect(most: number): Promise<{ banned: Banned[]; leftOut: number }> {
    const banned: Banned[] = [];
    let seen = 0;
    const add = async (text: string, until: number) => {
      if (++seen % perTurn === 0) await nextTurn();
      const prefix = banned.length < most ? readPrefix(text) : undefined;
      if (prefix) banned.push({ prefix, until });
    };
    for (const { ip, expiresAt } of this.#sources.bans.all()) await add(ip, expiresAt ?? Number.POSITIVE_INFINITY);
    if (this.#publishesFeed)
      for (const [ip, held] of this.#sources.decisions.prefixes())
        await add(ip, Math.max(0, ...held.map(({ expiresAt }) => expiresAt)));
    return { banned, leftOut: seen - banned.length };
  }

  /** Whether the feed bans in the kernel, too. */
  get #publishesFeed(): boolean {
    const { enabled, fallback_action } = this.#config.threatfeed;
    return enabled && fallback_action === 'ban';
  }

  async #lines(banned: readonly Banned[], exempt: readonly Prefix[], latest: number): Promise<string[]> {
    const lines: string[] = [];
    for (const range of bannedRanges(banned, exempt, latest))
      if (lines.push(rangeLines(range)) % perTurn === 0) await nextTurn();
    return lines;
  }

  state = (): PublishState => this.#state;

  problems = (): readonly string[] => {
    const { leftOut } = this.#state;
    const full = `${leftOut} bans and decisions do not fit into the published list (${limits.banListRanges} ranges)`;
    return [...this.#complain.problems(), ...(leftOut > 0 ? [full] : [])];
  };

  /** Stops publishing. The bans of the file stay in force until they end, for at most a day. */
  close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#cancelWait?.();
    for (const stop of this.#stopWatching) stop();
    await this.#write;
  };
}
