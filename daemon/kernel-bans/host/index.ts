/** Drops packets of banned clients on every port of the host. Needs nft(8) and CAP_NET_ADMIN. */
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { formatPrefix, type Prefix } from '../../address/prefix.ts';
import { type Complain, createComplainer } from '../../audit/complainer.ts';
import type { ListedChange } from '../kernel-bans.ts';
import type { ListName } from '../mechanism.ts';
import { Members } from '../members.ts';
import { nft } from './nft.ts';
import { changeText, type Element, type HostRules, hostTable, lengthText, setName, tableText } from './ruleset.ts';

/** What the configuration and the host decide. */
interface Fixed extends Pick<HostRules, 'exempt' | 'spared'> {
  readonly lists: readonly ListName[];
}

export interface HostBansOptions {
  readonly now: () => number;
  readonly fault: (message: string) => void;
  /** Asked again regularly, because addresses of the host change. */
  readonly fixed: () => Fixed;
}

interface Entry {
  readonly prefix: Prefix;
  /** When each list ends, milliseconds since the epoch. */
  readonly ends: Record<ListName, number>;
}

export class HostBans {
  readonly #options: HostBansOptions;
  readonly #complain: Complain;
  readonly #members = new Members();
  /** The entries of `#members` that are in the kernel. */
  readonly #entries = new Map<string, Entry>();
  /** Entries whose element changed. */
  readonly #changed = new Set<string>();
  readonly #removed = new Map<string, Prefix>();
  readonly #lengths = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #fixed: Fixed;
  /** Whether the table in the kernel is the one of this process. */
  #isWritten = false;
  #work: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #hasBegun = false;
  #tableText = '';

  constructor(options: HostBansOptions) {
    this.#options = options;
    this.#complain = createComplainer((problem) =>
      options.fault(`${problem}: bans hold at the ports of this daemon only, until nft works`),
    );
    this.#fixed = options.fixed();
    this.#timer = setInterval(() => {
      if (this.#hasBegun) this.#enqueue(this.#check);
    }, daemonBounds.nftCheckMs).unref();
  }

  readonly listed = ({ source, prefix, until }: ListedChange): void => {
    const key = formatPrefix(prefix);
    const entry = this.#entries.get(key) ?? { prefix, ends: { ban: 0, threatfeed: 0 } };
    entry.ends[source] = until;
    if (Math.max(...Object.values(entry.ends)) > this.#options.now()) this.#put(key, entry);
    else this.#delete(key, prefix);
    this.#flush();
  };

  #put(key: string, entry: Entry): void {
    const fits = this.#entries.has(key) || this.#entries.size < daemonBounds.kernelBanEntries;
    this.#members.put(entry.prefix, fits);
    if (!fits) return;
    this.#entries.set(key, entry);
    this.#changed.add(key);
    this.#removed.delete(key);
  }

  #delete(key: string, prefix: Prefix): void {
    if (!this.#members.delete(prefix)) return;
    this.#entries.delete(key);
    this.#changed.delete(key);
    this.#removed.set(key, prefix);
  }

  problems(): readonly string[] {
    const { leftOut } = this.#members;
    const full = leftOut > 0 ? [`${leftOut} bans have no room in the firewall of the host`] : [];
    return [...this.#complain.problems().map((problem) => `bans.scope is host: ${problem}`), ...full];
  }

  /** Reads the configuration and the addresses of the host again. */
  configure(): void {
    if (this.#hasBegun) this.#enqueue(this.#check);
  }

  /** Writes the table, which replaces that of an earlier process without a gap. Call it when all entries are listed. */
  begin(): void {
    this.#hasBegun = true;
    this.#flush();
  }

  /** Collects what one turn of the event loop changes, then writes it in one transaction. */
  #flush(): void {
    if (this.#isWaiting || !this.#hasBegun) return;
    this.#isWaiting = true;
    this.#enqueue(async () => {
      await turn();
      this.#isWaiting = false;
      if (this.#isWritten) await this.#writeChanges();
      else await this.#writeTable();
    });
  }

  /** One nft runs at a time. A failure is reported once; the next check writes the whole table again. */
  #enqueue(task: () => Promise<void>): void {
    this.#work = this.#work.then(task).then(
      () => this.#complain(''),
      ({ message }: Error) => {
        this.#isWritten = false;
        this.#complain(message);
      },
    );
  }

  #elements(keys: Iterable<string>): Element[] {
    const now = this.#options.now();
    return [...keys].flatMap((key) => {
      const entry = this.#entries.get(key);
      const until = entry ? Math.max(0, ...this.#fixed.lists.map((list) => entry.ends[list])) : 0;
      return entry ? [{ prefix: entry.prefix, leftMs: until - now }] : [];
    });
  }

  readonly #writeTable = async (): Promise<void> => {
    const elements = this.#elements(this.#entries.keys()).filter(({ leftMs }) => leftMs > 0);
    const lengths = [...new Map(elements.map(({ prefix }) => [setName(prefix), prefix])).values()];
    this.#changed.clear();
    this.#removed.clear();
    this.#lengths.clear();
    for (const length of lengths) this.#lengths.add(setName(length));
    await nft(['-f', '-'], `${tableText({ ...this.#fixed, lengths, elements }).join('\n')}\n`);
    this.#isWritten = true;
    this.#tableText = await this.#listed();
  };

  async #writeChanges(): Promise<void> {
    const gone = [...this.#removed.values()].map((prefix) => ({ prefix, leftMs: 0 }));
    const changes = [...this.#elements(this.#changed), ...gone].filter(
      ({ prefix, leftMs }) => leftMs > 0 || this.#lengths.has(setName(prefix)),
    );
    this.#changed.clear();
    this.#removed.clear();
    if (changes.length === 0) return;
    const added = [...new Map(changes.map(({ prefix }) => [setName(prefix), prefix]))].filter(
      ([name]) => !this.#lengths.has(name),
    );
    for (const [name] of added) this.#lengths.add(name);
    const text = [...added.flatMap(([, length]) => lengthText(length)), ...changeText(changes)];
    await nft(['-f', '-'], `${text.join('\n')}\n`);
    if (added.length > 0) this.#tableText = await this.#listed();
  }

  /** The table without its elements and counts. */
  #listed(): Promise<string> {
    return nft(['--terse', '--stateless', 'list', 'table', ...hostTable.split(' ')]);
  }

  /** Writes the table again when another program removed or changed it, or when the addresses of the host changed. */
  readonly #check = async (): Promise<void> => {
    const fixed = this.#options.fixed();
    const isSame = isDeepStrictEqual(fixed, this.#fixed);
    this.#fixed = fixed;
    const found = this.#isWritten ? await this.#listed().catch(() => '') : '';
    if (isSame && found !== '' && found === this.#tableText) return;
    await this.#writeTable();
  };

  /** Stops writing. The table stays: each element ends by itself, and the next start takes it over. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }
}
