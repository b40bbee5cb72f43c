/** The intake: blocked requests of gateways count as failures of their clients. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import { complainer } from '../feed/complainer.ts';
import { pause } from '../feed/pause.ts';
import { type GatewayEvent, readEvents } from './event.ts';
import { Followed } from './followed.ts';
import { openPositions } from './positions.ts';

export interface IntakeOptions {
  readonly config: Daemon;
  readonly failures: Pick<FailureTracker, 'fail'>;
  readonly now: () => number;
  /** One line for the operator. */
  readonly log: (message: string) => void;
}

type Source = Daemon['intake'][number];

/** Counts the blocked requests of one client, unless they are older than the window. As many as ban it suffice. */
function counter({ after, window }: Source, { failures, now }: IntakeOptions): (event: GatewayEvent) => void {
  const windowMs = parseDuration(window) as number;
  return ({ ip, at, count }) => {
    if (at !== undefined && now() - at > windowMs) return;
    const failure = { ip, trigger: 'blocked request', origin: 'intake', after, windowMs } as const;
    for (let counted = 0; counted < Math.min(count, after); counted++)
      failures.fail({ ...failure, ...(at !== undefined && { at }) });
  };
}

function taker(source: Source, options: IntakeOptions): (line: string) => void {
  const count = counter(source, options);
  return (line) => {
    for (const event of readEvents(line)) count(event);
  };
}

/** Waits for work on a file, and logs its problem once until it changes. */
function logged(file: string, log: (message: string) => void): (work: Promise<void>) => Promise<void> {
  const complain = complainer((problem) => log(`intake: ${file}: ${problem}`));
  return (work) =>
    work.then(
      () => complain(''),
      ({ code, message }: NodeJS.ErrnoException) => complain(code ?? message),
    );
}

export function startIntake(options: IntakeOptions): { close(): Promise<void> } {
  const { config, now, log } = options;
  const { data_dir } = config.global;
  const positions = openPositions(
    data_dir,
    config.intake.map(({ file }) => file),
  );
  const followed = config.intake.map((source) => ({
    settled: logged(source.file, log),
    file: new Followed({ path: source.file, positions, take: taker(source, options), now }),
  }));
  const saved = logged(data_dir, log);
  const end = new AbortController();
  const { signal } = end;

  const poll = async (): Promise<void> => {
    for (const { settled, file } of followed) await settled(file.poll(signal));
    await saved(positions.save());
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await poll();
      await pause(daemonBounds.intakePollMs, signal);
    }
    for (const { file } of followed) await file.close();
  };
  const work = run();
  return {
    close: () => {
      end.abort();
      return work;
    },
  };
}
