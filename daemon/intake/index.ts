/** The intake: blocked requests of gateways count as failures of their clients. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import { pause } from '../feed/pause.ts';
import { readEvent } from './event.ts';
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

/** Skips events older than the window, which cannot count any more. */
function taker({ after, window }: Source, { failures, now }: IntakeOptions): (line: string) => void {
  const windowMs = parseDuration(window) as number;
  return (line) => {
    const event = readEvent(line);
    if (!event || (event.at !== undefined && now() - event.at > windowMs)) return;
    failures.fail({ ip: event.ip, trigger: 'blocked request', origin: 'intake', after, windowMs });
  };
}

/** Logs a problem of a file once until it changes. */
function complainer(log: (message: string) => void) {
  const last = new Map<string, string>();
  return (file: string, error?: unknown): void => {
    const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
    const said = error === undefined ? '' : (code ?? message);
    if (said !== '' && last.get(file) !== said) log(`intake: ${file}: ${said}`);
    last.set(file, said);
  };
}

export function startIntake(options: IntakeOptions): { close(): Promise<void> } {
  const { config, now, log } = options;
  const { data_dir } = config.global;
  const positions = openPositions(
    data_dir,
    config.intake.map(({ file }) => file),
  );
  const followed = config.intake.map((source) => ({
    path: source.file,
    file: new Followed({ path: source.file, positions, take: taker(source, options), now }),
  }));
  const complain = complainer(log);
  const end = new AbortController();
  const { signal } = end;

  const poll = async (): Promise<void> => {
    for (const { path, file } of followed)
      await file.poll(signal).then(
        () => complain(path),
        (error) => complain(path, error),
      );
    await positions.save().then(
      () => complain(data_dir),
      (error) => complain(data_dir, error),
    );
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
