/** One nft(8) that runs as long as the kernel enforces, because its table ends with it. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The answer to a `list set` of `nft -j`: libnftables-json(5). */
interface Listing {
  readonly nftables: readonly { readonly set?: { readonly name: string; readonly elem?: readonly unknown[] } }[];
}

type Elements = readonly unknown[];

/** An element that has ended before it was deleted. */
const absent = 'No such file or directory';

export class NftProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  /** By set. */
  readonly #asked = new Map<string, (elements: Elements) => void>();
  readonly #ended: Promise<void>;
  #lines: string[] = [];
  #isClosing = false;

  /** `fault`: called for a command that failed, and when the process ends by itself. */
  constructor(fault: (message: string) => void) {
    this.#child = spawn('nft', ['-j', '-i'], { stdio: 'pipe' });
    const { stdout, stderr, stdin } = this.#child;
    createInterface({ input: stdout }).on('line', (line) => {
      for (const { set } of (JSON.parse(line) as Listing).nftables) if (set) this.#answer(set.name, set.elem ?? []);
    });
    createInterface({ input: stderr }).on('line', (line) => {
      if (line.startsWith('Error: ') && !line.includes(absent)) fault(`nft: ${line.slice('Error: '.length)}`);
    });
    stdin.on('error', () => {}); // 'close' follows
    this.#child.on('error', () => {}); // `check` has reported that nft is missing
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', (status, signal) => {
        for (const set of [...this.#asked.keys()]) this.#answer(set, []);
        if (!this.#isClosing) fault(`nft ended (${signal ?? `status ${status}`}): bans are enforced in user space`);
        resolve();
      });
    });
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Commands of one turn of the event loop are written together. */
  run(...commands: readonly string[]): void {
    if (this.#lines.length === 0) setImmediate(() => this.#flush());
    this.#lines.push(...commands);
  }

  #flush(): void {
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length > 0 && this.isRunning) this.#child.stdin.write(`${lines.join('\n')}\n`);
  }

  #answer(set: string, elements: Elements): void {
    const resolve = this.#asked.get(set);
    this.#asked.delete(set);
    resolve?.(elements);
  }

  /** Resolves with the elements of a set, or none when the next request for it comes first: the command has failed then. */
  ask(set: string, command: string): Promise<Elements> {
    this.#answer(set, []);
    this.run(command);
    return new Promise((resolve) => this.#asked.set(set, resolve));
  }

  /** Carries out the commands so far. Resolves when the process has ended, and its table with it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#flush();
    this.#child.stdin.end();
    await this.#ended;
  }
}

/** Has the kernel check commands without running them. Returns why they would fail. */
export function check(commands: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync('nft', ['-c', '-f', '-'], {
    input: commands.join('\n'),
    encoding: 'utf8',
  });
  if (error) return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'nft is not installed' : error.message;
  return status === 0
    ? undefined
    : `nft: ${stderr
        .split('\n', 1)
        .join()
        .replace(/^.*Error: /, '')}`;
}
