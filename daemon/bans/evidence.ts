/** The lines of logs that caused bans, so that the operator can judge a ban. Written by attackers: kept printable. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { printable } from '../../platform/escape.ts';

const { lines: mostLines, lineBytes, bans: mostBans } = daemonBounds.banEvidence;

/** The start of a line as evidence: printable ASCII, at most `lineBytes`. */
export const evidenceLine = (line: string): string => printable(line.slice(0, lineBytes)).slice(0, lineBytes);

const form = new RegExp(`^[\\x20-\\x7e]{0,${lineBytes}}(?:\\n[\\x20-\\x7e]{0,${lineBytes}}){0,${mostLines - 1}}$`);

/** Whether the daemon could have written this value of the store. */
export const isEvidence = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && form.test(value));

/** The evidence of bans by address or network in canonical text. The oldest is dropped when there is too much. */
export class BanEvidence {
  /** Lines joined by line ends, in the order in which the bans began. */
  readonly #texts = new Map<string, string>();

  /** The text for the store. */
  textOf(ip: string): string | null {
    return this.#texts.get(ip) ?? null;
  }

  linesOf(ip: string): readonly string[] {
    return this.#texts.get(ip)?.split('\n') ?? [];
  }

  keys(): readonly string[] {
    return [...this.#texts.keys()];
  }

  /** Returns whether there was evidence. */
  delete(ip: string): boolean {
    return this.#texts.delete(ip);
  }

  /** Replaces the evidence of a ban by lines, or by the text of the store. Returns the address that lost its evidence. */
  set(ip: string, evidence: readonly string[] | string | null): string | undefined {
    this.#texts.delete(ip);
    const text = typeof evidence === 'string' ? evidence : evidence?.slice(-mostLines).map(evidenceLine).join('\n');
    if (!text) return undefined;
    this.#texts.set(ip, text);
    const [oldest] = this.#texts.keys();
    if (oldest === undefined || this.#texts.size <= mostBans) return undefined;
    this.#texts.delete(oldest);
    return oldest;
  }
}
