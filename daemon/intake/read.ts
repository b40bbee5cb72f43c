/** A source with what is needed to read it: its reading, its counter and its state. */
import { readReason } from '../../platform/regular-file.ts';
import { type Complain, createComplainer } from '../audit/complainer.ts';
import { type CounterOptions, createCounter } from './counter.ts';
import type { FormatTable } from './formats.ts';
import type { Positions } from './positions.ts';
import { type Reading, readingOf, type Sighting, type Source } from './reading.ts';
import { type LogExempt, nameOf, SourceState } from './source-state.ts';
import type { Users } from './users.ts';

export interface IntakeOptions extends CounterOptions {
  readonly log: (message: string) => void;
}

/** Something that is polled, such as a file or the journal. */
export interface Followed {
  readonly poll: (signal: AbortSignal) => Promise<void>;
  readonly problems: () => readonly string[];
  /** Files whose changes are all that a poll reads. Undefined: it must be polled often. */
  readonly paths: () => readonly string[] | undefined;
  readonly close: () => Promise<void>;
}

/** The paths of several, or undefined when one of them must be polled often. */
export function pathsOf(followed: Iterable<Pick<Followed, 'paths'>>): readonly string[] | undefined {
  const all = [...followed].map(({ paths }) => paths());
  return all.every((paths) => paths !== undefined) ? all.flat() : undefined;
}

interface ReadOptions extends IntakeOptions {
  readonly formats: FormatTable;
}

export interface FollowOptions extends IntakeOptions {
  readonly positions: Positions;
}

export class SourceRead {
  readonly source: Source;
  readonly state: SourceState;
  readonly #count;
  readonly #complain: Complain;
  readonly #logExempt: LogExempt;
  #reading: Reading;

  /** @throws Error: see `readingOf` */
  constructor(source: Source, users: Users, logExempt: LogExempt, options: ReadOptions) {
    this.source = source;
    this.#logExempt = logExempt;
    this.state = new SourceState(source, options.now);
    this.#count = createCounter(source, users, options);
    this.#complain = createComplainer(options.log);
    this.#reading = readingOf(source, options.formats);
  }

  get encoding(): Reading['encoding'] {
    return this.#reading.encoding;
  }

  /** Reads the policy again. When it does not load, this is reported, and the previous one stays in force. */
  readAgain(formats: FormatTable): void {
    try {
      this.#reading = readingOf(this.source, formats);
      this.#complain('');
    } catch (error) {
      this.#complain(`intake: ${(error as Error).message}; the previous policy stays in force`);
    }
  }

  readonly onLine = (line: string): void => this.#add(this.#reading.ofFile(line), line);

  /** @param at when the message was written, milliseconds since the epoch */
  readonly onMessage = (message: string, at: number): void =>
    this.#add(
      this.#reading.ofMessage(message).map((sighting) => ({ at, ...sighting })),
      message,
    );

  #add(sightings: readonly Sighting[], line: string): void {
    const outcomes = sightings.map((sighting) => {
      const outcome = this.#count(sighting, line);
      if (outcome === 'exempt') this.#logExempt(nameOf(this.source), sighting.ip);
      return outcome;
    });
    this.state.addLine(outcomes, () => this.#reading.isOfFormat(line));
  }

  readonly problems = (): readonly string[] => [...this.#complain.problems(), ...this.state.problems()];
}

/** Waits for the work on a place. Reports a failure instead of rejecting. */
export const reportFailure = (name: string, work: Promise<void>, complain: Complain): Promise<void> =>
  work.then(
    () => complain(''),
    (error) => complain(`intake: ${name}: ${readReason(error)}`),
  );
