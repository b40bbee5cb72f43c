/**
 * What the intake would have banned, from old lines with their times. It counts with the code of the daemon; only the
 * clock and the store are others.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { isPrivate } from '../../contract/values/private.ts';
import type { Ban } from '../bans/ban.ts';
import { RehearsedBans } from '../bans/rehearsed.ts';
import { createFailureTracker } from '../failures/index.ts';
import { siteBits } from '../failures/sites.ts';
import { ownNetwork } from '../failures/tallies.ts';
import { type Count, createCounter } from './counter.ts';
import type { Sighting, Source } from './reading.ts';
import { nameOf, type Outcome } from './source-state.ts';
import { Users } from './users.ts';

/** What would have happened to an address or network. Times are milliseconds since the epoch. */
export interface RehearsedClient {
  readonly ip: string;
  /** The source whose line led to the first ban. */
  readonly source: string;
  /** The first ban. */
  readonly reason: string;
  readonly bannedAt: number;
  /** Of each ban in milliseconds, oldest first: at most the first eight. Null: permanent. */
  readonly durations: readonly (number | null)[];
  /** The number of bans. */
  readonly bans: number;
  /** Whether a user logged in from it, or from an address of the network, before or after. */
  readonly hasLoggedIn: boolean;
  readonly isPrivate: boolean;
}

export interface RehearsedSource {
  readonly source: string;
  readonly format: string;
  readonly lines: number;
  readonly outcomes: Readonly<Record<Outcome | 'prevented', number>>;
}

export interface SparedClient {
  readonly ip: string;
  readonly failures: number;
  readonly isPrivate: boolean;
}

/** `prevented`: failures that a ban would have prevented. */
const noOutcomes = (): Record<Outcome | 'prevented', number> => ({
  ...{ counted: 0, prevented: 0, exempt: 0, late: 0, unforwarded: 0, ignored: 0 },
});

const mostDurations = 8;

interface Client extends Omit<RehearsedClient, 'hasLoggedIn' | 'durations' | 'bans'> {
  readonly durations: (number | null)[];
  bans: number;
}

/** The addresses, and the networks of them that can be banned. */
const networksWith = (addresses: Iterable<string>): ReadonlySet<string> =>
  new Set([...addresses].flatMap((ip) => [ip, ownNetwork(ip) ?? ip, ownNetwork(ip, siteBits) ?? ip]));

/** Counts an address. The map is bounded: the first addresses stay. */
function countIn(counts: Map<string, number>, ip: string): void {
  if (counts.size < daemonBounds.rehearsalAddresses || counts.has(ip)) counts.set(ip, (counts.get(ip) ?? 0) + 1);
}

export class Rehearsal {
  readonly #counts: readonly Count[];
  readonly #sources: { readonly source: Source; lines: number; readonly outcomes: ReturnType<typeof noOutcomes> }[];
  readonly #bans: RehearsedBans;
  readonly #clients = new Map<string, Client>();
  /** Addresses with a login: bounded, the newest stay. */
  readonly #logins = new Set<string>();
  readonly #spared = new Map<string, number>();
  readonly #seen = new Map<string, number>();
  #now = 0;
  #current = 0;

  constructor(config: Daemon) {
    const now = () => this.#now;
    this.#bans = new RehearsedBans({ config, now, onBan: (ban) => this.#addBan(ban) });
    const audit = { fault: () => undefined };
    const failures = createFailureTracker({ config, bans: this.#bans, audit, now });
    const users = new Users([], () => undefined);
    this.#counts = config.intake.map((source) => createCounter(source, users, { config, failures, now }));
    this.#sources = config.intake.map((source) => ({ source, lines: 0, outcomes: noOutcomes() }));
  }

  /** Counts lines that say nothing of a client. @param source index in `intake` */
  addLines(source: number, count: number): void {
    const row = this.#sources[source];
    if (!row) return;
    row.lines += count;
    row.outcomes.ignored += count;
  }

  /** Counts a line. Lines must come in the order of their times. @param at milliseconds since the epoch */
  add(source: number, sightings: readonly Sighting[], at: number): void {
    this.#now = Math.max(this.#now, at); // a line with an earlier time belongs to the same moment
    this.#current = source;
    const row = this.#sources[source];
    if (!row) return;
    row.lines += 1;
    for (const sighting of sightings) row.outcomes[this.#outcomeOf(source, sighting)] += 1;
  }

  #outcomeOf(source: number, sighting: Sighting): Outcome | 'prevented' {
    const { ip, outcome } = sighting;
    countIn(this.#seen, ip);
    if (outcome === 'success') this.#addLogin(ip);
    if (outcome === 'failure' && this.#bans.covers(ip)) return 'prevented';
    const { at: _, ...undated } = sighting;
    const result = this.#counts[source]?.(undated, undefined) ?? 'ignored';
    if (result === 'exempt') countIn(this.#spared, ip);
    return result;
  }

  #addLogin(ip: string): void {
    this.#logins.delete(ip);
    this.#logins.add(ip);
    if (this.#logins.size <= daemonBounds.rehearsalAddresses) return;
    for (const oldest of this.#logins) {
      this.#logins.delete(oldest);
      return;
    }
  }

  #addBan({ ip, reason, bannedAt, expiresAt }: Ban): void {
    const source = this.#sources[this.#current]?.source;
    const name = source ? nameOf(source) : '';
    const known = this.#clients.get(ip);
    const client = known ?? { ip, source: name, reason, bannedAt, durations: [], bans: 0, isPrivate: isPrivate(ip) };
    client.bans += 1;
    if (client.durations.length < mostDurations)
      client.durations.push(expiresAt === null ? null : expiresAt - bannedAt);
    this.#clients.set(ip, client);
  }

  sources(): readonly RehearsedSource[] {
    return this.#sources.map(({ source, lines, outcomes }) => ({
      ...{ source: nameOf(source), format: source.format, lines, outcomes },
    }));
  }

  /** The addresses and networks that would have been banned, in the order of their first ban. */
  clients(): readonly RehearsedClient[] {
    const logins = networksWith(this.#logins);
    return [...this.#clients.values()].map((client) => ({ ...client, hasLoggedIn: logins.has(client.ip) }));
  }

  /** Addresses of clients that failed or logged in, the most frequent one first. */
  frequentClients(): string[] {
    return [...this.#seen].sort(([, one], [, other]) => other - one).map(([ip]) => ip);
  }

  /** Addresses with failures that are never banned, most failures first. */
  spared(): readonly SparedClient[] {
    const rows = [...this.#spared].map(([ip, failures]) => ({ ip, failures, isPrivate: isPrivate(ip) }));
    return rows.sort((one, other) => other.failures - one.failures);
  }
}
