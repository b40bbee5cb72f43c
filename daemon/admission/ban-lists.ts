/** Follows the ban lists of policies of http services (contract/policy/ban-list.ts). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { banListBytes, banListEdge } from '../../contract/policy/ban-list.ts';
import { limits } from '../../contract/policy/limits.ts';
import { type BanTable, banTableOf } from '../../engine/ban-list.ts';
import { readingSteps, writtenIn } from '../../engine/ban-list-file.ts';
import { openRegular, readRegular } from '../../platform/regular-file.ts';
import { createComplainer } from '../audit/complainer.ts';
import { log } from '../process/log.ts';

const edgesOf = (file: Buffer): string =>
  file.toString('latin1', 0, banListEdge) + file.toString('latin1', Math.max(0, file.length - banListEdge));

/** Reads the first and the last line of a file. They have its time, its count and its checksum. */
async function readEdges(path: string): Promise<string> {
  const { handle, stat } = await openRegular(path);
  try {
    const edges = Buffer.alloc(2 * banListEdge);
    await handle.read(edges, 0, banListEdge, 0);
    await handle.read(edges, banListEdge, banListEdge, Math.max(0, stat.size - banListEdge));
    return edgesOf(edges);
  } finally {
    await handle.close();
  }
}

/** Serves connections between two steps. @throws Error when the file cannot be used */
async function tableOf(file: Buffer): Promise<BanTable> {
  const steps = readingSteps(file);
  for (;;) {
    const { done, value } = steps.next();
    if (done) {
      const table = banTableOf(value);
      if ('fault' in table) throw new Error(table.fault);
      return table;
    }
    await nextTurn();
  }
}

/** Whether the table in force stays. One from the future does not: a clock was set back. */
const isOlder = (edges: string, current: BanTable): boolean =>
  (writtenIn(edges.slice(0, banListEdge)) ?? current.written) < current.written && current.written * 1000 <= Date.now();

/** The ban list at a path. It keeps its table when the file is gone, damaged or older. */
class BanList {
  readonly #path: string;
  readonly #complain = createComplainer(log.error);
  #table: BanTable | undefined;
  /** The first and the last line of the last file that could be read. */
  #edges = '';
  #look: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The table in force. Undefined: the file was never read. */
  get table(): BanTable | undefined {
    return this.#table;
  }

  /** Reads the file if it is another one than before. Never rejects. */
  look = (): Promise<void> => {
    this.#look ??= this.#read()
      .then(
        () => '',
        ({ message }: Error) => this.#describe(message),
      )
      .then((fault) => {
        this.#complain(fault);
        this.#look = undefined;
      });
    return this.#look;
  };

  #describe(fault: string): string {
    const effect = this.#table ? 'the last one that could be read stays in force' : 'no client is banned';
    return `the ban list ${JSON.stringify(this.#path)} cannot be used, and ${effect}: ${fault}`;
  }

  async #read(): Promise<void> {
    const edges = await readEdges(this.#path);
    if (edges === this.#edges) return;
    this.#refuseOlder(edges);
    const file = await readRegular(this.#path, banListBytes);
    this.#refuseOlder(edgesOf(file)); // another one can have taken its place
    const table = await tableOf(file);
    this.#edges = edgesOf(file);
    this.#table = table;
  }

  /** @throws Error when a file with these first and last bytes is older than the table in force */
  #refuseOlder(edges: string): void {
    if (this.#table && isOlder(edges, this.#table)) throw new Error('it is older');
  }
}

export type FollowedBans = Pick<BanList, 'table'>;

/** By path. A list lives as long as a guard uses it, so that a reload keeps the table of a file that is gone. */
const lists = new Map<string, WeakRef<BanList>>();

function follow(path: string, list: WeakRef<BanList>): void {
  const timer = setInterval(() => {
    const used = list.deref();
    if (used) void used.look();
    else {
      clearInterval(timer);
      if (lists.get(path) === list) lists.delete(path);
    }
  }, limits.banListLookSeconds * 1000).unref();
}

/** Opens the list at a path, and looks at its file regularly. */
export async function openBans(path: string): Promise<FollowedBans> {
  let list = lists.get(path)?.deref();
  if (!list) {
    list = new BanList(path);
    const reference = new WeakRef(list);
    lists.set(path, reference);
    follow(path, reference);
  }
  await list.look();
  return list;
}
