/** The intake counts requests that gateways blocked as failures of their clients. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { type Complain, createComplainer } from '../audit/complainer.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import { pause } from '../feed/pause.ts';
import { inTime } from '../time/timer.ts';
import { type GatewayEvent, readEvents } from './event.ts';
import { FollowedFile } from './followed.ts';
import { openPositions } from './positions.ts';

interface IntakeOptions {
  readonly config: Daemon;
  readonly failures: Pick<FailureTracker, 'fail'>;
  readonly now: () => number;
  readonly log: (message: string) => void;
}

type Source = Daemon['intake'][number];

/**
 * Returns a function that counts the blocked requests of one event, unless they are older than the window. It counts no
 * more than a ban needs, all at once: ten thousand for each client of a sum would take seconds one by one.
 */
function createCounter({ after, window }: Source, { failures, now }: IntakeOptions): (event: GatewayEvent) => void {
  const windowMs = parseDuration(window) as number;
  return ({ ip, at, count }) => {
    if (at !== undefined && now() - at > windowMs) return;
    const failure = { ip, trigger: 'blocked request', origin: 'intake', after, windowMs } as const;
    failures.fail({ ...failure, count: Math.min(count, after), ...(at !== undefined && { at }) });
  };
}

function lineHandler(source: Source, options: IntakeOptions): (line: string) => void {
  const count = createCounter(source, options);
  return (line) => {
    for (const event of readEvents(line)) count(event);
  };
}

/** Waits for the work on a file. Reports a failure instead of rejecting. */
const reportFailure = (file: string, work: Promise<void>, complain: Complain): Promise<void> =>
  work.then(
    () => complain(''),
    ({ code, message }: NodeJS.ErrnoException) => complain(`intake: ${file}: ${code ?? message}`),
  );

export interface Intake {
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
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
    config.intake.map(({ file }) => file),
  );
  const followed = config.intake.map((source) => ({
    path: source.file,
    complain: createComplainer(log),
    file: new FollowedFile({ path: source.file, positions, onLine: lineHandler(source, options), now }),
  }));
  const saved = createComplainer(log);
  const end = new AbortController();
  const { signal } = end;

  const poll = async (): Promise<void> => {
    for (const { path, file, complain } of followed) await reportFailure(path, file.poll(signal), complain);
    await reportFailure(data_dir, positions.save(), saved);
  };
  const first = poll();
  const run = async (): Promise<void> => {
    await first;
    while (!signal.aborted) {
      await pause(daemonBounds.intakePollMs, signal);
      if (!signal.aborted) await poll();
    }
    for (const { file } of followed) await file.close();
  };
  const work = run();
  await inTime(first, daemonBounds.intakeFirstMs, () => undefined);
  return {
    problems: () => [...followed.map(({ complain }) => complain), saved].flatMap((one) => one.problems()),
    close: () => {
      end.abort();
      return work;
    },
  };
}
