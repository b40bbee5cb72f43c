/**
 * Follows the journal of systemd. It trusts only fields that a program cannot write: those that begin with an underscore,
 * and the name of a container where the unit of its runtime wrote it.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type Members, parseObject } from '../../logs/access/json.ts';
import { backoff } from '../time/pause.ts';
import { LineReader } from './lines.ts';
import type { Positions } from './positions.ts';

export interface JournalPlace {
  readonly unit?: string | undefined;
  readonly container?: string | undefined;
}

export interface JournalSource extends JournalPlace {
  /** `at`: when the journal received the message, milliseconds since the epoch. */
  readonly onMessage: (message: string, at: number) => void;
}

/** The message of journald when it dropped messages of a unit that wrote too many. */
const droppedId = 'a596d6fe7bfa4994828e72309e95d61e';

interface Match {
  /** Terms for journalctl, which it combines with AND. */
  readonly terms: readonly string[];
  readonly matches: (fields: Members) => boolean;
}

/** `ssh@.service`: all instances of the template, which systemd puts into one slice. */
function ofUnit(unit: string): Match[] {
  const [, name] = /^(.+)@\.service$/.exec(unit) ?? [];
  if (name === undefined)
    return [{ terms: [`_SYSTEMD_UNIT=${unit}`], matches: ({ _SYSTEMD_UNIT }) => _SYSTEMD_UNIT === unit }];
  const slice = `system-${name.replaceAll('-', '\\x2d')}.slice`;
  const isInstance = ({ _SYSTEMD_UNIT: one }: Members) => typeof one === 'string' && one.startsWith(`${name}@`);
  return [{ terms: [`_SYSTEMD_SLICE=${slice}`], matches: isInstance }];
}

/** Docker's daemon writes the messages of its containers; conmon those of Podman's. */
const ofContainer = (name: string): Match[] => [
  {
    terms: [`CONTAINER_NAME=${name}`, '_SYSTEMD_UNIT=docker.service'],
    matches: ({ CONTAINER_NAME, _SYSTEMD_UNIT }) => CONTAINER_NAME === name && _SYSTEMD_UNIT === 'docker.service',
  },
  {
    terms: [`CONTAINER_NAME=${name}`, '_COMM=conmon', '_UID=0'],
    matches: ({ CONTAINER_NAME, _COMM, _UID }) => CONTAINER_NAME === name && _COMM === 'conmon' && _UID === '0',
  },
];

const matchesOf = ({ unit, container }: JournalPlace): Match[] =>
  unit === undefined ? ofContainer(container as string) : ofUnit(unit);

const shownFields = [
  ...['MESSAGE', 'MESSAGE_ID', 'N_DROPPED', '_COMM', '_UID', '_SYSTEMD_UNIT', '_STREAM_ID', '_LINE_BREAK'],
  ...['CONTAINER_NAME', 'CONTAINER_ID_FULL', 'CONTAINER_PARTIAL_MESSAGE', 'PRIORITY'],
];

/**
 * Finds the pieces of lines that were split, because a client may choose where: journald ends a line of a stream after 48 KiB
 * and at a NUL (systemd.journal-fields(7), `_LINE_BREAK`), and Docker and Podman one after 16 KiB.
 */
class Pieces {
  /** Streams within a line: those of services and of containers. */
  readonly #open = new Set<string>();

  isPiece({ _STREAM_ID, _LINE_BREAK, CONTAINER_ID_FULL, CONTAINER_PARTIAL_MESSAGE, PRIORITY }: Members): boolean {
    const stream = CONTAINER_ID_FULL === undefined ? `${_STREAM_ID}` : `${CONTAINER_ID_FULL} ${PRIORITY}`;
    const wasOpen = this.#open.delete(stream);
    const isOpen = CONTAINER_PARTIAL_MESSAGE === 'true' || _LINE_BREAK === 'line-max' || _LINE_BREAK === 'nul';
    if (isOpen && this.#open.size < daemonBounds.journalStreams) this.#open.add(stream);
    return wasOpen || isOpen;
  }
}

/** Messages of systemd are in English. */
const cursorRefusal = /seek to cursor/;

/** A message that is not UTF-8 is an array of its bytes. */
function textOf(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  return Array.isArray(message) ? Buffer.from(message as number[]).toString('latin1') : undefined;
}

const dropped: Match = {
  terms: [`MESSAGE_ID=${droppedId}`, '_SYSTEMD_UNIT=systemd-journald.service'],
  matches: ({ MESSAGE_ID, _SYSTEMD_UNIT }) => MESSAGE_ID === droppedId && _SYSTEMD_UNIT === 'systemd-journald.service',
};

export interface JournalMessage {
  /** Index of the source. */
  readonly source: number;
  readonly message: string;
  /** When the journal received it, milliseconds since the epoch. */
  readonly at: number;
}

/** The entries of the journal that sources read, in the form of `journalctl --output=json`. */
export class JournalEntries {
  readonly #routes: readonly { readonly match: Match; readonly source: number }[];
  readonly #pieces = new Pieces();

  constructor(places: readonly JournalPlace[]) {
    this.#routes = places.flatMap((place, source) => matchesOf(place).map((match) => ({ match, source })));
  }

  /** The arguments of journalctl that select the entries. */
  get arguments(): readonly string[] {
    const terms = [...this.#routes.map(({ match }) => match.terms), dropped.terms];
    return [
      ...['--all', '--quiet', '--no-pager', '--output=json', `--output-fields=${shownFields.join(',')}`],
      ...terms.flatMap((one, index) => (index === 0 ? one : ['+', ...one])),
    ];
  }

  /** Returns a message for each source of the entry. */
  read(fields: Members): readonly JournalMessage[] {
    const message = textOf(fields.MESSAGE);
    const routes = this.#routes.filter(({ match }) => match.matches(fields));
    if (message === undefined || routes.length === 0 || this.#pieces.isPiece(fields)) return [];
    if (message.length > daemonBounds.intakeLineBytes) return [];
    // The time of the journal has microseconds.
    const at = Number(fields.__REALTIME_TIMESTAMP) / 1000;
    return routes.map(({ source }) => ({ source, message, at }));
  }
}

export interface JournalOptions {
  readonly sources: readonly JournalSource[];
  readonly positions: Positions;
  /** Reports a problem; an empty text: it is over. */
  readonly complain: (problem: string) => void;
  readonly now: () => number;
}

export class FollowedJournal {
  readonly #options: JournalOptions;
  readonly #entries: JournalEntries;
  #child: ChildProcessByStdio<null, Readable, Readable> | undefined;
  #ends = 0;
  #startAt = 0;
  #said = '';

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#entries = new JournalEntries(options.sources);
  }

  /** Starts journalctl when none runs and its time has come. One that has run for a while is healthy. */
  poll(): void {
    const { now, complain } = this.#options;
    const wait = this.#startAt - now();
    const isDue = wait <= 0 || wait > daemonBounds.journalRetryMostMs; // or the clock was set back
    if (this.#child === undefined && isDue) this.#start();
    else if (this.#child !== undefined && this.#ends > 0 && now() - this.#startAt >= daemonBounds.journalRetryMs) {
      this.#ends = 0;
      complain('');
    }
  }

  /** See `Followed`: a journalctl that ended is started again by a poll. */
  readonly paths = (): readonly string[] | undefined => (this.#child === undefined || this.#ends > 0 ? undefined : []);

  #arguments(): string[] {
    const { cursor } = this.#options.positions;
    const begin = cursor === undefined ? ['--lines=0'] : [`--after-cursor=${cursor}`, '--no-tail'];
    return ['--follow', ...begin, ...this.#entries.arguments];
  }

  #start(): void {
    this.#startAt = this.#options.now();
    try {
      this.#follow(spawn('journalctl', this.#arguments(), { stdio: ['ignore', 'pipe', 'pipe'] }));
    } catch (error) {
      this.#startLater((error as Error).message); // some errors are thrown, for example ENOMEM
    }
  }

  #follow(child: ChildProcessByStdio<null, Readable, Readable>): void {
    this.#child = child;
    child.on('error', ({ message }) => this.#ended(child, message));
    if (child.pid === undefined) return; // it did not start: without a free descriptor it has no streams
    const lines = new LineReader(0, false, {
      encoding: 'utf8',
      mostBytes: daemonBounds.journalEntryBytes,
      onLine: (line) => this.#read(line),
    });
    child.stdout.on('data', (piece: Buffer) => lines.push(piece));
    child.stderr.on('data', (piece: Buffer) => {
      this.#said = piece.toString('latin1').slice(0, 200).trim();
    });
    child.on('close', (status) => this.#ended(child, this.#said || `journalctl ended with status ${status}`));
  }

  #ended(child: ChildProcessByStdio<null, Readable, Readable>, reason: string): void {
    if (this.#child !== child) return; // one that could not be started also closes
    // The next start begins at the end of the journal: journalctl refuses a cursor of a damaged state file each time.
    if (cursorRefusal.test(reason)) this.#options.positions.cursor = undefined;
    this.#child = undefined;
    this.#said = '';
    this.#startLater(reason);
  }

  #startLater(reason: string): void {
    this.#ends += 1;
    this.#startAt =
      this.#options.now() + backoff(this.#ends, daemonBounds.journalRetryMs, daemonBounds.journalRetryMostMs);
    this.#options.complain(`intake: journal: ${reason}`);
  }

  #read(line: string): void {
    const fields = parseObject(line);
    if (fields === undefined) return;
    const { positions, complain, sources } = this.#options;
    const { __CURSOR, N_DROPPED } = fields;
    if (typeof __CURSOR === 'string') {
      positions.cursor = __CURSOR;
      positions.isChanged = true;
    }
    if (dropped.matches(fields)) complain(`intake: journal: journald dropped ${Number(N_DROPPED)} messages`);
    for (const { source, message, at } of this.#entries.read(fields)) sources[source]?.onMessage(message, at);
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}
