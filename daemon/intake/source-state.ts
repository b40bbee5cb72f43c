/** What the lines of a source became since it is followed, and what is wrong with the source. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { IntakeStats } from '../stats/stats.ts';
import type { Source } from './reading.ts';

/** What a line says of a client, and what became of it. */
export type Outcome =
  /** It counts as a failure. */
  | 'counted'
  /** The failure of an address that is never banned. */
  | 'exempt'
  /** Older than the window. */
  | 'late'
  /** A line of a trusted proxy without the address of its client. */
  | 'unforwarded'
  /** It does not count, such as a successful login and the second of two failures of a user. */
  | 'ignored';

export const nameOf = ({ file, unit, container }: Source): string => file ?? unit ?? (container as string);

export class SourceState {
  readonly #source: Source;
  readonly #now: () => number;
  readonly #counts: Record<Outcome, number> = { counted: 0, exempt: 0, late: 0, unforwarded: 0, ignored: 0 };
  #lines = 0;
  #hasFormat = false;
  #lastLineAt: number;
  /** Bytes of each file of the source that the last poll left unread. */
  readonly behind = new Map<string, number>();

  constructor(source: Source, now: () => number) {
    this.#source = source;
    this.#now = now;
    this.#lastLineAt = now();
  }

  /**
   * @param outcomes what became of each client that the line names; none: the line says nothing of a client
   * @param isOfFormat whether such a line is in the format of the source; called until one is
   */
  addLine(outcomes: readonly Outcome[], isOfFormat: () => boolean): void {
    this.#lines += 1;
    this.#hasFormat ||= outcomes.length > 0 || isOfFormat();
    this.#lastLineAt = this.#now();
    if (outcomes.length === 0) this.#counts.ignored += 1;
    for (const outcome of outcomes) this.#counts[outcome] += 1;
  }

  get #behindBytes(): number {
    return [...this.behind.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  get hasLines(): boolean {
    return this.#lines > 0;
  }

  stats(): IntakeStats {
    const { format } = this.#source;
    return {
      source: nameOf(this.#source),
      format,
      lines: this.#lines,
      ...this.#counts,
      behind_bytes: this.#behindBytes,
    };
  }

  #foreignProblem(name: string): string {
    const { format } = this.#source;
    const [missing, command] =
      format === 'access'
        ? ['is a request with the address of its peer', 'replay']
        : [`is in the format ${format}`, `test --format ${format} --log`];
    return `${name}: none of more than ${daemonBounds.intakeForeignLines} lines ${missing}, so it bans no client: try guardcli ${command} FILE`;
  }

  problems(): readonly string[] {
    const name = `intake: ${nameOf(this.#source)}`;
    const { unforwarded } = this.#counts;
    const behind = this.#behindBytes;
    // A gateway writes events only when it blocks, so its file may be quiet.
    const isQuiet = this.#source.format !== 'guard' && this.#now() - this.#lastLineAt > daemonBounds.intakeQuietMs;
    return [
      ...(behind > daemonBounds.intakePollBytes
        ? [
            `${name}: ${behind} bytes are not read yet: it grows faster than it is read. No line is skipped, but bans come late`,
          ]
        : []),
      ...(unforwarded > 0
        ? [
            `${name}: ${unforwarded} lines of a trusted proxy lack the address of the client, so they ban no client: log the header X-Forwarded-For`,
          ]
        : []),
      ...(!this.#hasFormat && this.#lines > daemonBounds.intakeForeignLines ? [this.#foreignProblem(name)] : []),
      ...(isQuiet ? [`${name}: no line for a day: check that the server still writes there`] : []),
    ];
  }
}

/** Logs that an address failed which is never banned. */
export type LogExempt = (source: string, ip: string) => void;

/** Logs each address once, and no more than `intakeExemptLogged`. */
export function exemptLogger(log: (message: string) => void): LogExempt {
  const logged = new Set<string>();
  return (source, ip) => {
    if (logged.size >= daemonBounds.intakeExemptLogged || logged.has(ip)) return;
    logged.add(ip);
    log(`intake: ${source}: ${ip} failed, and is never banned (never_ban, an address of this host, or a private one)`);
  };
}
