/**
 * Exemptions that an operator sets for a time: until its end, one beats every ban and list. They are stored in one small
 * file, because there are few and each must survive a restart.
 */
import { join } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { makeFolder } from '../../platform/folder.ts';
import { isAbsent, readReason, readRegularSync, replaceFile } from '../../platform/regular-file.ts';
import { formatPrefix, isTooWide, isUnspecified, readPrefix } from '../address/prefix.ts';
import { StoredFile } from '../audit/stored-file.ts';
import { isDateMs } from '../time/date.ts';
import { createInTurn } from '../time/in-turn.ts';
import { after } from '../time/timer.ts';

export interface Exemption {
  /** Address or network in canonical text. */
  readonly ip: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly allowedAt: number;
  readonly expiresAt: number;
}

export type ExemptionRefusal = 'bad_address' | 'too_many';

export type ExemptionOutcome =
  /** `isDurable` is false when the exemption is in force and could not be written to disk. */
  | { readonly ok: true; readonly exemption: Exemption; readonly isDurable: boolean }
  | { readonly ok: false; readonly refusal: ExemptionRefusal };

export interface Exemptions {
  /** The exemptions in force, in the order of their addition. */
  readonly list: () => readonly Exemption[];
  /** Replaces an exemption of the same address or network. Resolves when it is in force. */
  readonly add: (
    request: Omit<Exemption, 'expiresAt' | 'allowedAt'> & { durationMs: number },
  ) => Promise<ExemptionOutcome>;
  /** Ends the exemption of exactly this address or network. Resolves with undefined without one. */
  readonly remove: (ip: string) => Promise<(ExemptionOutcome & { ok: true }) | undefined>;
}

interface ExemptionsOptions {
  readonly dataDir: string;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  /** Puts the current exemptions into force. */
  readonly apply: () => Promise<void>;
  readonly fault: (message: string) => void;
}

/** The longest timer: after the clock was set, an exemption ends at most this late. */
const longestTimerMs = 60_000;

/** Returns undefined for an entry of the file that this program has not written. */
function exemptionOf(value: unknown): Exemption | undefined {
  const { ip, reason, allowedAt, expiresAt } = (value ?? {}) as Partial<Record<keyof Exemption, unknown>>;
  const prefix = typeof ip === 'string' ? readPrefix(ip) : undefined;
  if (!prefix || typeof reason !== 'string' || !isDateMs(allowedAt) || !isDateMs(expiresAt)) return undefined;
  return { ip: formatPrefix(prefix), reason, allowedAt, expiresAt };
}

export class StoredExemptions implements Exemptions {
  readonly #options: ExemptionsOptions;
  readonly #path: string;
  readonly #byAddress = new Map<string, Exemption>();
  readonly #file: StoredFile;
  #isClosed = false;
  #cancelTimer = () => {};
  readonly #inTurn = createInTurn();

  constructor(options: ExemptionsOptions) {
    this.#options = options;
    this.#path = join(options.dataDir, 'exemptions.json');
    const { fault: log } = options;
    this.#file = new StoredFile({ write: () => this.#write(), problem: `cannot write ${this.#path}`, log });
    for (const exemption of this.#read()) this.#byAddress.set(exemption.ip, exemption);
    this.#arm();
  }

  #read(): readonly Exemption[] {
    try {
      const stored: unknown = JSON.parse(readRegularSync(this.#path, daemonBounds.exemptionFileBytes).toString());
      if (Array.isArray(stored)) return this.#valid(stored);
      this.#options.fault(`${this.#path} has no list: the exemptions of the previous run are not in force`);
    } catch (error) {
      if (!isAbsent(error))
        this.#options.fault(
          `cannot read ${this.#path} (${readReason(error)}): the exemptions of the previous run are not in force`,
        );
    }
    return [];
  }

  #valid(stored: readonly unknown[]): readonly Exemption[] {
    const exemptions = stored.flatMap((entry) => exemptionOf(entry) ?? []).slice(0, daemonBounds.exemptions);
    const lost = stored.length - exemptions.length;
    if (lost > 0)
      this.#options.fault(`${this.#path}: ${lost} of ${stored.length} exemptions of the previous run are not in force`);
    return exemptions;
  }

  readonly list = (): readonly Exemption[] => {
    const now = this.#options.now();
    return [...this.#byAddress.values()].filter(({ expiresAt }) => expiresAt > now);
  };

  readonly add: Exemptions['add'] = async ({ ip: text, reason, durationMs }) => {
    const prefix = readPrefix(text);
    if (!prefix || isTooWide(prefix) || isUnspecified(prefix)) return { ok: false, refusal: 'bad_address' };
    const [ip, now] = [formatPrefix(prefix), this.#options.now()];
    const isFull = this.list().length >= daemonBounds.exemptions && !this.#byAddress.has(ip);
    if (isFull) return { ok: false, refusal: 'too_many' };
    const exemption = { ip, reason, allowedAt: now, expiresAt: now + durationMs };
    this.#byAddress.delete(ip);
    this.#byAddress.set(ip, exemption);
    return { ok: true, exemption, isDurable: await this.#change() };
  };

  readonly remove: Exemptions['remove'] = async (text) => {
    const prefix = readPrefix(text);
    const exemption = prefix && this.list().find(({ ip }) => ip === formatPrefix(prefix));
    if (!exemption) return undefined;
    this.#byAddress.delete(exemption.ip);
    return { ok: true, exemption, isDurable: await this.#change() };
  };

  readonly problems = (): readonly string[] => this.#file.problems();

  /** Puts changes into force and writes them, one after the other. Resolves with whether this one is on disk. */
  #change(): Promise<boolean> {
    return this.#inTurn(async () => {
      this.#arm();
      try {
        await this.#options.apply();
      } finally {
        this.#file.saveNow();
      }
      return this.#file.untilSaved();
    });
  }

  async #write(): Promise<void> {
    makeFolder(this.#options.dataDir, 0o700);
    await replaceFile(this.#path, async (file) => {
      await file.writeFile(`${JSON.stringify(this.list())}\n`);
      await file.sync();
    });
  }

  /** Ends exemptions on time. */
  #arm(): void {
    this.#cancelTimer();
    const ends = [...this.#byAddress.values()].map(({ expiresAt }) => expiresAt - this.#options.now());
    const next = Math.min(...ends);
    if (next === Number.POSITIVE_INFINITY || this.#isClosed) return;
    this.#cancelTimer = after(Math.min(Math.max(1, next), longestTimerMs), () => this.#onTimer());
  }

  #onTimer(): void {
    const now = this.#options.now();
    const ended = [...this.#byAddress.values()].filter(({ expiresAt }) => expiresAt <= now);
    for (const { ip } of ended) this.#byAddress.delete(ip);
    if (ended.length > 0)
      this.#change().catch(({ message }: Error) => this.#options.fault(`cannot end an exemption: ${message}`));
    else this.#arm();
  }

  /** Resolves when the change in progress has ended, and after a last attempt to write a file that is behind. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#inTurn(async () => {}); // the changes before
    await this.#file.close();
  }
}
