/** The intake counts what logs say of clients: blocked requests and failed logins are their failures. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { isPrivate } from '../../contract/values/private.ts';
import { type Complain, createComplainer } from '../audit/complainer.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import { pause } from '../feed/pause.ts';
import { inTime } from '../time/timer.ts';
import { FollowedFile } from './followed.ts';
import { FollowedJournal } from './journal.ts';
import { openPositions, type Positions } from './positions.ts';
import { type Reading, readingOf, type Sighting, type Source } from './reading.ts';
import { Users } from './users.ts';

interface IntakeOptions {
  readonly config: Daemon;
  readonly failures: Pick<FailureTracker, 'fail'>;
  readonly now: () => number;
  readonly log: (message: string) => void;
}

type Count = (sighting: Sighting, line: string) => void;

/**
 * Returns a function that counts what one line says, unless it is older than the window. It counts no more than a ban
 * needs, all at once: ten thousand for each client of a sum would take seconds one by one.
 */
function createCounter(source: Source, users: Users, { failures, now, config }: IntakeOptions): Count {
  const { after } = source;
  const windowMs = parseDuration(source.window) as number;
  const spares = (ip: string): boolean => source.format !== 'guard' && !config.bans.ban_private && isPrivate(ip);
  const countsUser = ({ ip, user }: Sighting): boolean =>
    user === undefined || users.isCounted(ip, user, windowMs, now());
  return (sighting, line) => {
    const { ip, at, count, outcome, trigger, user } = sighting;
    if (at !== undefined && now() - at > windowMs) return;
    if (outcome === 'success') {
      if (user !== undefined) users.succeed(ip, user, now());
      return;
    }
    if (spares(ip) || !countsUser(sighting)) return;
    const failure = { ip, trigger, origin: 'intake', after, windowMs, line } as const;
    failures.fail({ ...failure, count: Math.min(count, after), ...(at !== undefined && { at }) });
  };
}

/** Waits for the work on a source. Reports a failure instead of rejecting. */
const reportFailure = (name: string, work: Promise<void>, complain: Complain): Promise<void> =>
  work.then(
    () => complain(''),
    ({ code, message }: NodeJS.ErrnoException) => complain(`intake: ${name}: ${code ?? message}`),
  );

export interface Intake {
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}

interface Followed {
  readonly complain: Complain;
  readonly poll: (signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Read {
  readonly source: Source;
  readonly reading: Reading;
  readonly count: Count;
}

/** Whether the lines since the last run may count. Those of servers have no time, and could be older than the window. */
const resumes = ({ format, window }: Source, { stoppedAt }: Positions, now: number): boolean =>
  format === 'guard' || (stoppedAt !== undefined && now - stoppedAt <= (parseDuration(window) as number));

function followFile({ source, reading, count }: Read, path: string, positions: Positions, options: IntakeOptions) {
  const complain = createComplainer(options.log);
  const onLine = (line: string): void => {
    for (const sighting of reading.ofFile(line)) count(sighting, line);
  };
  const file = new FollowedFile({
    ...{ path, positions, onLine, encoding: reading.encoding, now: options.now },
    resumes: resumes(source, positions, options.now()),
  });
  const poll = (signal: AbortSignal) => reportFailure(path, file.poll(signal), complain);
  return { complain, poll, close: () => file.close() };
}

function followJournal(reads: readonly Read[], positions: Positions, { log, now }: IntakeOptions): Followed {
  const complain = createComplainer(log);
  const sources = reads.map(({ source: { unit, container }, reading, count }) => ({
    ...{ unit, container },
    onMessage: (message: string, at: number): void => {
      for (const sighting of reading.ofMessage(message)) count({ at, ...sighting }, message);
    },
  }));
  const journal = new FollowedJournal({ sources, positions, complain, now });
  return { complain, poll: async () => journal.poll(), close: () => journal.close() };
}

/** Reads what each source needs. A source whose policy does not load is reported, and the others are followed. */
function readsOf(users: Users, options: IntakeOptions): { reads: Read[]; problems: Complain[] } {
  const problems: Complain[] = [];
  const reads = options.config.intake.flatMap((source) => {
    try {
      return [{ source, reading: readingOf(source), count: createCounter(source, users, options) }];
    } catch (error) {
      const complain = createComplainer(options.log);
      complain(`intake: ${(error as Error).message}`);
      problems.push(complain);
      return [];
    }
  });
  return { reads, problems };
}

/** Follows files one by one, and all sources in the journal together. */
function followAll(reads: readonly Read[], positions: Positions, options: IntakeOptions): Followed[] {
  const inJournal = reads.filter(({ source }) => source.file === undefined);
  return [
    ...reads.flatMap((read) =>
      read.source.file === undefined ? [] : [followFile(read, read.source.file, positions, options)],
    ),
    ...(inJournal.length > 0 ? [followJournal(inJournal, positions, options)] : []),
  ];
}

/**
 * Resolves after the first read of each file, so that a reload can report the problems of this read. Waits at most
 * `intakeFirstMs`.
 */
export async function startIntake(options: IntakeOptions): Promise<Intake> {
  const { config, now, log } = options;
  const { data_dir } = config.global;
  const positions = openPositions(
    data_dir,
    config.intake.flatMap(({ file }) => file ?? []),
  );
  const users = new Users(positions.successes, () => {
    positions.isChanged = true;
  });
  const { reads, problems } = readsOf(users, options);
  const followed = followAll(reads, positions, options);
  const saved = createComplainer(log);
  const end = new AbortController();
  const { signal } = end;

  const save = (stoppedAt?: number): Promise<void> =>
    reportFailure(data_dir, positions.save(users.successes, stoppedAt), saved);
  const poll = async (): Promise<void> => {
    for (const { poll } of followed) await poll(signal);
    await save();
  };
  const first = poll();
  const run = async (): Promise<void> => {
    await first;
    while (!signal.aborted) {
      await pause(daemonBounds.intakePollMs, signal);
      if (!signal.aborted) await poll();
    }
    for (const { close } of followed) await close();
    if (followed.length > 0) await save(now());
  };
  const work = run();
  await inTime(first, daemonBounds.intakeFirstMs, () => undefined);
  return {
    problems: () => [...problems, ...followed.map(({ complain }) => complain), saved].flatMap((one) => one.problems()),
    close: () => {
      end.abort();
      return work;
    },
  };
}
