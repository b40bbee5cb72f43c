/** Notices of bans and problems. Sending is never in the way of a ban, and never ends the daemon. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { NoticeTarget } from '../../contract/daemon/notify.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { createComplainer } from '../audit/complainer.ts';
import type { Bans } from '../bans/ban.ts';
import { backoff, pause } from '../time/pause.ts';
import { Notice } from './notice.ts';
import { sendNotice, targetName } from './targets.ts';

export interface Notifier {
  readonly close: () => Promise<void>;
}

/** Milliseconds: see contract/daemon/bounds/notices.ts. */
interface NotifierBounds {
  readonly noticePauseMs: number;
  readonly noticeCollectMs: number;
  readonly noticeProblemsMs: number;
  readonly noticeRetryMs: { readonly first: number; readonly most: number };
}

interface NotifierOptions {
  readonly config: Daemon;
  readonly bans: Pick<Bans, 'watch'>;
  /** The problems of the daemon. */
  readonly problems: () => readonly string[];
  readonly log: (message: string) => void;
  readonly bounds?: NotifierBounds;
}

const hostName = (): string => hostname().replace(/[^A-Za-z0-9.-]/g, '_') || 'localhost';

/** Collects for one target, and sends at most one message in each `noticePauseMs`. */
class Channel {
  readonly #target: NoticeTarget;
  readonly #bounds: NotifierBounds;
  readonly #signal: AbortSignal;
  readonly #complain;
  #notice = new Notice();
  #wake = () => {};

  constructor(target: NoticeTarget, { log, bounds = daemonBounds }: NotifierOptions, signal: AbortSignal) {
    this.#target = target;
    this.#bounds = bounds;
    this.#signal = signal;
    this.#complain = createComplainer(log);
    signal.addEventListener('abort', () => this.#wake());
  }

  add(change: (notice: Notice) => void): void {
    change(this.#notice);
    this.#wake();
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      if (this.#notice.isEmpty) await this.#untilWoken();
      await pause(this.#bounds.noticeCollectMs, this.#signal);
      await this.#deliver();
      await pause(this.#bounds.noticePauseMs, this.#signal);
    }
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Tries until the message is sent. What happens meanwhile becomes a part of it. */
  async #deliver(): Promise<void> {
    const id = randomUUID();
    for (let failures = 1; !this.#signal.aborted && !this.#notice.isEmpty; failures++) {
      const notice = this.#notice;
      this.#notice = new Notice();
      try {
        await sendNotice(this.#target, notice.fields(hostName(), id), this.#signal);
        this.#complain('');
        return;
      } catch (error) {
        this.#notice = notice.followedBy(this.#notice);
        if (this.#signal.aborted) return;
        this.#complain(`notify ${targetName(this.#target)}: ${(error as Error).message}`);
        const { first, most } = this.#bounds.noticeRetryMs;
        await pause(backoff(failures, first, most), this.#signal);
      }
    }
  }
}

/** A problem without its counts, such as that of lines which were not read. Digits of names, addresses and ports stay. */
const formOf = (problem: string): string => problem.replace(/(?<=^|\s)\d+(?=\s)/g, '0');

/** The problems of one list without those that are in another one with other numbers: they go on. */
const withoutSame = (some: readonly string[], others: readonly string[]): string[] =>
  some.filter((problem) => !others.some((other) => formOf(other) === formOf(problem)));

/** Calls `add` with each problem that begins or ends. */
function followProblems(
  problems: () => readonly string[],
  add: (problem: string, isOver: boolean) => void,
  everyMs: number,
) {
  let known = new Set<string>();
  const timer = setInterval(() => {
    const now = new Set(problems());
    const begun = [...now].filter((problem) => !known.has(problem));
    const ended = [...known].filter((problem) => !now.has(problem));
    for (const problem of withoutSame(begun, ended)) add(problem, false);
    for (const problem of withoutSame(ended, begun)) add(problem, true);
    known = now;
  }, everyMs).unref();
  return () => clearInterval(timer);
}

export async function startNotifier(options: NotifierOptions): Promise<Notifier | undefined> {
  const { config, bans, problems, bounds = daemonBounds } = options;
  if (config.notify.length === 0) return undefined;
  const end = new AbortController();
  const channels = config.notify.map((target) => new Channel(target, options, end.signal));
  const addToAll = (change: (notice: Notice) => void) => {
    for (const channel of channels) channel.add(change);
  };
  const stopBans = bans.watch((change) => {
    if (change.kind === 'banned') addToAll((notice) => notice.addBan(change.ban));
  });
  const stopProblems = followProblems(
    problems,
    (problem, isOver) => addToAll((notice) => notice.addProblem(problem, isOver)),
    bounds.noticeProblemsMs,
  );
  const work = Promise.all(channels.map((channel) => channel.run()));
  return {
    close: async () => {
      stopBans();
      stopProblems();
      end.abort();
      await work;
    },
  };
}

/** Sends a test message to each target. Returns a line for each, and whether all were sent. */
export async function testTargets({
  notify,
}: Daemon): Promise<{ readonly lines: readonly string[]; readonly ok: boolean }> {
  const host = hostName();
  const fields = { title: `tcp-guard on ${host}`, text: 'this is a test', count: '0', host, id: randomUUID() };
  const outcomes = await Promise.all(
    notify.map((target) =>
      sendNotice(target, fields, new AbortController().signal).then(
        () => ({ ok: true, line: `${targetName(target)}: sent` }),
        ({ message }: Error) => ({ ok: false, line: `${targetName(target)}: ${message}` }),
      ),
    ),
  );
  return { lines: outcomes.map(({ line }) => line), ok: outcomes.every(({ ok }) => ok) };
}
