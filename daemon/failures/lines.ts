/** The last lines of clients with failures: the evidence of a ban that may follow. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { evidenceLine } from '../bans/evidence.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

const { lines: mostLines, clients: mostClients } = daemonBounds.banEvidence;

export class RecentLines {
  /** In the order of the last line. */
  readonly #lines = new Map<string, readonly Line[]>();

  /** @param at milliseconds of the clock of the caller */
  add(ip: string, line: string, at: number): void {
    const lines = [...(this.#lines.get(ip) ?? []), { at, text: evidenceLine(line) }].slice(-mostLines);
    this.#lines.delete(ip);
    const [oldest] = this.#lines.keys();
    if (oldest !== undefined && this.#lines.size >= mostClients) this.#lines.delete(oldest);
    this.#lines.set(ip, lines);
  }

  /** The lines since a time, oldest first. */
  since(ip: string, start: number): string[] {
    return (this.#lines.get(ip) ?? []).filter(({ at }) => at >= start).map(({ text }) => text);
  }

  delete(ip: string): void {
    this.#lines.delete(ip);
  }
}
