/** The intake counts what logs say of clients: blocked requests and failed logins are their failures. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type Complain, createComplainer } from '../audit/complainer.ts';
import type { IntakeStats } from '../stats/stats.ts';
import { pause } from '../time/pause.ts';
import { inTime } from '../time/timer.ts';
import { FileChanges } from './changes.ts';
import { followContainer } from './docker.ts';
import { followFiles } from './files.ts';
import { type FormatTable, readFormats } from './formats.ts';
import { FollowedJournal } from './journal.ts';
import { openPositions } from './positions.ts';
import { type Followed, type FollowOptions, type IntakeOptions, pathsOf, reportFailure, SourceRead } from './read.ts';
import { exemptLogger } from './source-state.ts';
import { Users } from './users.ts';

export interface Intake {
  readonly problems: () => readonly string[];
  readonly stats: () => readonly IntakeStats[];
  /** Reads the policies of access logs and the files of formats again. */
  readonly readAgain: () => void;
  readonly close: () => Promise<void>;
}

function followJournal(reads: readonly SourceRead[], { positions, log, now }: FollowOptions): Followed {
  const complain = createComplainer(log);
  const sources = reads.map(({ source: { unit, container }, onMessage }) => ({ unit, container, onMessage }));
  const journal = new FollowedJournal({ sources, positions, complain, now });
  const { paths } = journal;
  return { problems: complain.problems, poll: async () => journal.poll(), paths, close: () => journal.close() };
}

/** The table of formats. Files that do not load are reported, and the previous table stays in force. */
class Tables {
  readonly #options: IntakeOptions;
  readonly #complain: Complain;
  #table: FormatTable = readFormats({ formats: [] });

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#complain = createComplainer(options.log);
  }

  readonly problems = (): readonly string[] => this.#complain.problems();

  read(): FormatTable {
    try {
      this.#table = readFormats(this.#options.config);
      this.#complain('');
    } catch (error) {
      this.#complain(`intake: formats: ${(error as Error).message}`);
    }
    return this.#table;
  }
}

/** Reads what each source needs. A source whose policy does not load is reported, and the others are followed. */
function readsOf(users: Users, options: IntakeOptions, tables: Tables): { reads: SourceRead[]; problems: Complain[] } {
  const problems: Complain[] = [];
  const logExempt = exemptLogger(options.log);
  const formats = tables.read();
  const reads = options.config.intake.flatMap((source) => {
    try {
      return [new SourceRead(source, users, logExempt, { ...options, formats })];
    } catch (error) {
      const complain = createComplainer(options.log);
      complain(`intake: ${(error as Error).message}`);
      problems.push(complain);
      return [];
    }
  });
  return { reads, problems };
}

/** Follows files and containers one by one, and all sources in the journal together. */
function followAll(reads: readonly SourceRead[], options: FollowOptions): Followed[] {
  const inJournal = reads.filter(({ source }) => source.file === undefined);
  return [
    ...reads.flatMap((read) => {
      const { file, container } = read.source;
      if (container !== undefined) return [followContainer(read, options)];
      return file === undefined ? [] : [followFiles(read, file, options)];
    }),
    ...(inJournal.length > 0 ? [followJournal(inJournal, options)] : []),
  ];
}

/**
 * Resolves after the first read of each file, so that a reload can report the problems of this read. Waits at most
 * `intakeFirstMs`.
 */
export async function startIntake(options: IntakeOptions): Promise<Intake> {
  const { config, now, log } = options;
  const { data_dir } = config.global;
  const positions = openPositions(data_dir);
  const users = new Users(positions.successes, () => {
    positions.isChanged = true;
  });
  const tables = new Tables(options);
  const { reads, problems } = readsOf(users, options, tables);
  const followed = followAll(reads, { ...options, positions });
  const saved = createComplainer(log);
  const end = new AbortController();
  const { signal } = end;

  const save = (stoppedAt?: number): Promise<void> =>
    reportFailure(data_dir, positions.save(users.successes, stoppedAt), saved);
  /** Resolves with whether something was read. */
  const poll = async (): Promise<boolean> => {
    for (const { poll } of followed) await poll(signal);
    const { isChanged } = positions;
    await save();
    return isChanged;
  };
  const first = poll();
  const changes = new FileChanges();
  const run = async (): Promise<void> => {
    let hasRead = await first;
    while (!signal.aborted) {
      if (hasRead) await pause(daemonBounds.intakePollMs, signal);
      else await changes.wait(pathsOf(followed), signal);
      if (!signal.aborted) hasRead = await poll();
    }
    changes.close();
    for (const { close } of followed) await close();
    if (followed.length > 0) await save(now());
  };
  const work = run();
  await inTime(first, daemonBounds.intakeFirstMs, () => undefined);
  return {
    problems: () => [tables, ...problems, ...followed, ...reads, saved].flatMap((one) => one.problems()),
    stats: () => reads.map(({ state }) => state.stats()),
    readAgain: () => {
      const formats = tables.read();
      for (const read of reads) read.readAgain(formats);
    },
    close: () => {
      end.abort();
      return work;
    },
  };
}
