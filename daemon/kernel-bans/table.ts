/** Keeps the table of nftables current. Needs nft(8) and CAP_NET_ADMIN. */
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { createComplainer } from '../audit/complainer.ts';
import { doubled } from '../time/pause.ts';
import { inTime } from '../time/timer.ts';
import type { Generation } from './generation.ts';
import type { ListedChange, ListName } from './kernel-bans.ts';
import { countsIn, deleteTable, foreignText, listTable, ruleCount, withoutCounts } from './listed.ts';
import { Members } from './members.ts';
import { nft } from './nft.ts';
import { PacketCounts } from './packet-counts.ts';
import {
  changeText,
  type Element,
  keyOf,
  type Listed,
  setName,
  setsOf,
  setText,
  type TableRules,
  tableText,
} from './ruleset.ts';

/** What the configuration and the host decide. */
export interface Fixed extends TableRules {
  readonly lists: readonly ListName[];
}

export interface TableOptions {
  readonly now: () => number;
  readonly fault: (message: string) => void;
  /** Asked again regularly, because addresses of the host change. @throws Error */
  readonly fixed: () => Fixed;
  readonly generation: Generation;
  /** Called with packets that were dropped since the last call. `service`: undefined for those to all ports. */
  readonly dropped: (list: ListName, count: number, service: string | undefined) => void;
}

interface Entry extends Listed {
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const script = (lines: readonly string[]): Promise<string> => nft(['-f', '-'], { input: `${lines.join('\n')}\n` });

const isRule = (line: string): boolean => line.startsWith('add rule ');

const failureOf = (work: Promise<unknown>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

export class KernelTable {
  readonly #options: TableOptions;
  readonly #complain;
  readonly #members: Record<ListName, Members> = { ban: new Members(), threatfeed: new Members() };
  /** Entries that have room in the kernel, by list and prefix. */
  readonly #entries = new Map<string, Entry>();
  /** Entries whose element changed or must be deleted. */
  readonly #changed = new Map<string, Entry>();
  /** Keys of entries that nft refused one by one. */
  readonly #refused = new Set<string>();
  /** Runs in a row in which nft accepted none of them, and one. */
  #retries = 1;
  #retryAt = 0;
  #sets = new Map<string, Listed>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #fixed: Fixed | undefined;
  /** Whether the table in the kernel is the one of this process. */
  #isWritten = false;
  #work: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #written = '';
  /** The number of rules in the table. */
  #rules = 0;
  #counts: ReadonlyMap<string, number> = new Map();
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** That of the kernel before a listing in which the table was current. */
  #generation: number | undefined;
  /** Whether the kernel that is asked is the one of `nft`, which can be a script that enters another network namespace. */
  #isAsked = false;
  /** Whether packets were dropped before the last listing: the next ones are counted soon. */
  #isDropping = false;
  readonly #packets = new PacketCounts();

  constructor(options: TableOptions) {
    this.#options = options;
    this.#complain = createComplainer(options.fault);
  }

  readonly listed = ({ source: list, prefix, until }: ListedChange): void => {
    const entry = { list, prefix, until };
    const key = keyOf(entry);
    const members = this.#members[list];
    if (until > this.#options.now()) {
      const fits = this.#entries.has(key) || this.#entries.size < daemonBounds.kernelBanEntries;
      members.put(prefix, fits);
      if (!fits) return;
      this.#entries.set(key, entry);
    } else {
      if (!members.delete(prefix)) return;
      this.#entries.delete(key);
      this.#packets.forget(entry);
    }
    this.#changed.set(key, entry);
    this.#flush();
  };

  get isWritten(): boolean {
    return this.#isWritten;
  }

  get problem(): string | undefined {
    return this.#complain.problems()[0];
  }

  get entryCount(): number {
    return this.#entries.size - this.#refused.size;
  }

  get leftOutCount(): number {
    return this.#members.ban.leftOut + this.#members.threatfeed.leftOut + this.#refused.size;
  }

  /** Writes the table, which replaces that of an earlier process without a gap. Call it when all entries are listed. */
  begin(): void {
    if (this.#isClosed) return;
    this.#timer = setInterval(() => void this.#enqueue(this.#check), daemonBounds.nftCheckMs).unref();
    void this.#enqueue(this.#check);
  }

  /** Reads the configuration and the addresses of the host again. */
  configure(): void {
    if (this.#timer) void this.#enqueue(this.#check);
  }

  async refresh(): Promise<void> {
    if (!this.#timer || performance.now() - this.#checkedAt < daemonBounds.nftReadMs) return;
    await inTime(this.#enqueue(this.#list), daemonBounds.nftReadMs, () => {});
  }

  /**
   * Packets that were dropped for each entry, at most `nftCountMs` ago. Waits for a reading for `nftReadMs` at most. It does not
   * wait for other runs of nft, and they do not wait for it: changes must not.
   */
  async packetsOf(all: readonly (Listed | undefined)[]): Promise<(number | undefined)[]> {
    if (this.#isWritten) await inTime(this.#packets.read([...this.#sets.keys()]), daemonBounds.nftReadMs, () => {});
    const isWritten = (key: string) => this.#entries.has(key) && !this.#refused.has(key);
    return all.map((one) => (one && isWritten(keyOf(one)) ? this.#packets.of(one) : undefined));
  }

  /** Collects what one turn of the event loop changes, then writes it in one transaction. */
  #flush(): void {
    if (this.#isWaiting || !this.#timer) return;
    this.#isWaiting = true;
    void this.#enqueue(async () => {
      await turn();
      this.#isWaiting = false;
      if (this.#isWritten) await this.#writeChanges();
      else await this.#check();
    });
  }

  /** One nft runs at a time. A failure is reported once; the next check writes the whole table again. */
  #enqueue(task: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(task).then(
      () => this.#complain(''),
      ({ message }: Error) => {
        this.#isWritten = false;
        this.#complain(message);
      },
    );
    return this.#work;
  }

  #elementOf = ({ list, prefix, until }: Entry): Element => ({
    list,
    prefix,
    leftMs: this.#fixed?.lists.includes(list) ? until - this.#options.now() : 0,
  });

  async #writeTable(fixed: Fixed): Promise<void> {
    const before = this.#options.generation();
    await this.#writeAll(fixed);
    this.#isAsked = before !== this.#options.generation();
  }

  async #writeAll(fixed: Fixed): Promise<void> {
    const elements = [...this.#entries.values()].map(this.#elementOf).filter(({ leftMs }) => leftMs > 0);
    this.#changed.clear();
    this.#refused.clear();
    this.#counts = new Map();
    this.#sets = new Map(setsOf(elements));
    const sets = [...this.#sets.values()];
    const empty = tableText(fixed, sets, []);
    if (await failureOf(script(tableText(fixed, sets, elements)))) {
      await script(empty); // rejects where nft does not work at all
      await this.#write(elements);
    }
    this.#rules = empty.filter(isRule).length;
    await this.#remember();
    this.#isWritten = true;
  }

  /** Remembers how nft lists the table, to notice later changes of other programs. */
  async #remember(): Promise<void> {
    this.#written = withoutCounts(await listTable());
    if (ruleCount(this.#written) !== this.#rules) throw new Error('another program changed the table at the same time');
  }

  async #writeChanges(): Promise<void> {
    const changes = [...this.#changed.values()]
      .map(this.#elementOf)
      .filter((element) => element.leftMs > 0 || this.#sets.has(setName(element)));
    this.#changed.clear();
    if (changes.length === 0) return;
    const added = [...setsOf(changes)].filter(([name]) => !this.#sets.has(name));
    if (added.length > 0) {
      await script(added.flatMap(([, set]) => setText(this.#fixed?.owner ?? '', set)));
      for (const [name, set] of added) this.#sets.set(name, set);
      this.#rules += added.length;
      await this.#remember();
    }
    await this.#write(changes);
  }

  /**
   * Writes elements in one transaction, or in halves where it fails, so that one refused element costs no other. Rejects
   * when the table is not there, or when an element cannot be deleted: then the whole table is written again.
   */
  async #write(elements: readonly Element[]): Promise<void> {
    const parts = [elements];
    let failures = 0;
    for (let part = parts.pop(); part; part = parts.pop()) {
      const failure = await failureOf(script(changeText(part)));
      for (const element of part) this.#refused.delete(keyOf(element));
      if (!failure) continue;
      if (failures++ === 0 && (await listTable()) === '') throw failure;
      const half = part.length >> 1;
      if (half > 0 && failures <= daemonBounds.nftFailures) parts.push(part.slice(half), part.slice(0, half));
      else if (part.some(({ leftMs }) => leftMs <= 0)) throw failure;
      else for (const element of part) this.#refused.add(keyOf(element));
    }
  }

  /** Lists the table, unless nothing can have changed since it was listed. */
  readonly #check = async (): Promise<void> => {
    const generation = this.#options.generation();
    const isQuiet = !this.#isDropping && performance.now() - this.#checkedAt < daemonBounds.nftQuietMs;
    const isKnown = this.#isAsked && generation !== undefined && generation === this.#generation;
    const isSame = isKnown && this.#refused.size === 0;
    if (isQuiet && isSame && this.#isWritten && isDeepStrictEqual(this.#options.fixed(), this.#fixed)) return;
    await this.#list();
  };

  /** Writes the table again when another program removed or changed it, or when the addresses of the host changed. */
  readonly #list = async (): Promise<void> => {
    const [fixed, generation] = [this.#options.fixed(), this.#options.generation()];
    const found = await listTable();
    if (found !== '' && !found.includes(`\tchain ${fixed.owner} {\n`)) throw new Error(foreignText(found));
    this.#checkedAt = performance.now();
    if (this.#isWritten) this.#account(found);
    const isSame = this.#isWritten && withoutCounts(found) === this.#written && isDeepStrictEqual(fixed, this.#fixed);
    this.#fixed = fixed;
    this.#generation = isSame ? generation : undefined;
    if (!isSame) await this.#writeTable(fixed);
    else if (this.#refused.size > 0 && this.#checkedAt >= this.#retryAt) await this.#writeRefused();
  };

  /** Writes refused entries again, because nft may have failed for a reason that has passed. */
  async #writeRefused(): Promise<void> {
    const { size } = this.#refused;
    await this.#write([...this.#refused].flatMap((key) => this.#entries.get(key) ?? []).map(this.#elementOf));
    const { nftCheckMs, nftRetryMs } = daemonBounds;
    this.#retries = this.#refused.size < size ? 1 : this.#retries + 1;
    this.#retryAt = performance.now() + doubled(this.#retries, nftCheckMs, nftRetryMs);
  }

  #account(found: string): void {
    const counts = countsIn(found);
    this.#isDropping = false;
    for (const [name, packets] of counts) {
      const count = packets - (this.#counts.get(name) ?? 0);
      const [list, index] = name.split('_') as [ListName, string?];
      const service = index === undefined ? undefined : this.#fixed?.ports[Number(index)]?.service;
      if (count <= 0) continue;
      this.#isDropping = true;
      this.#options.dropped(list, count, service);
    }
    this.#counts = counts;
  }

  /** Stops writing, after the last counts are read. With `deletes`, deletes the table; otherwise each element ends by itself. */
  async close(deletes: boolean): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    if (!this.#timer) return;
    this.#timer = undefined;
    await this.#work;
    if (!this.#isWritten) return;
    await this.#enqueue(async () => {
      this.#account(await listTable());
      if (deletes) await deleteTable();
    });
  }
}
