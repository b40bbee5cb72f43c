/** One nft(8) that runs as long as the kernel enforces, because its table ends with it. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

/** The answer to a `list set` of `nft -j`: libnftables-json(5). */
interface Listing {
  readonly nftables: readonly { readonly set?: { readonly name: string; readonly elem?: readonly unknown[] } }[];
}

/** Elements by set. */
export type Elements = ReadonlyMap<string, readonly unknown[]>;

/** A request for the elements of sets. */
interface Request {
  readonly missing: Set<string>;
  readonly found: Map<string, readonly unknown[]>;
  readonly resolve: (found: Elements) => void;
  readonly reject: (error: Error) => void;
}

const { nftBytes, nftSilentMs } = daemonBounds;

/** nft keeps a history of its commands in the home directory. There is none below a device. */
const environment = () => ({ ...process.env, HOME: '/dev/null' });

/** The last line of a process that was killed can be incomplete. */
function setsOf(line: string): Listing['nftables'] {
  try {
    return (JSON.parse(line) as Listing).nftables;
  } catch {
    return [];
  }
}

export class NftProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  #request: Request | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** Characters in the history, which has a command once if it is repeated. */
  #written = 0;
  #last = '';
  /** Why this process was killed. */
  #reason: string | undefined;
  #isClosing = false;

  /** `failed`: called once when the process ends by itself, a command fails, or it does not respond. @throws Error without descriptors */
  constructor(failed: (why: string) => void) {
    this.#child = spawn('nft', ['-j', '-i'], { stdio: 'pipe', env: environment(), detached: true });
    this.#child.on('error', ({ message }) => this.#fail(`cannot run nft: ${message}`));
    if (!this.#child.stdin) throw new Error('cannot run nft: no descriptor is free');
    const { stdout, stderr, stdin } = this.#child;
    createInterface({ input: stdout }).on('line', (line) => {
      for (const { set } of setsOf(line)) if (set) this.#answer(set.name, set.elem ?? []);
    });
    createInterface({ input: stderr }).on('line', (line) => {
      if (line.startsWith('Error: ')) this.#fail(`nft: ${line.slice('Error: '.length)}`);
    });
    stdin.on('error', () => {}); // 'close' follows
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', (status, signal) => {
        clearTimeout(this.#silence);
        const why = this.#reason ?? `nft ended (${signal ?? `status ${status}`})`;
        this.#request?.reject(new Error(why));
        if (!this.#isClosing) failed(why);
        resolve();
      });
    });
  }

  #fail(reason: string): void {
    this.#reason ??= reason;
    this.#child.kill('SIGKILL');
  }

  get isRunning(): boolean {
    return this.#reason === undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Commands of one line are carried out together or not at all. */
  run(...lines: readonly string[]): void {
    for (const line of lines) {
      if (line !== this.#last) this.#written += line.length;
      this.#last = line;
    }
    if (this.isRunning) this.#child.stdin.write(lines.map((line) => `${line}\n`).join(''));
    if (this.#written > nftBytes) this.#fail(`nft has kept ${nftBytes >> 20} MB of commands in its history`);
  }

  /** Resolves when most of what was written is read, or the process has ended. */
  async drained(): Promise<void> {
    if (!this.#child.stdin.writableNeedDrain) return;
    await Promise.race([once(this.#child.stdin, 'drain').catch(() => {}), this.#ended]);
  }

  #answer(set: string, elements: readonly unknown[]): void {
    const request = this.#request;
    if (!request?.missing.delete(set)) return;
    request.found.set(set, elements);
    if (request.missing.size > 0) return void this.#silence?.refresh();
    clearTimeout(this.#silence);
    this.#request = undefined;
    request.resolve(request.found);
  }

  /** Resolves with the elements of sets. Rejects when the process ends before. Requests must not overlap. */
  ask(sets: readonly string[], commandOf: (set: string) => string): Promise<Elements> {
    if (!this.isRunning) return Promise.reject(new Error(this.#reason ?? 'nft has ended'));
    this.run(...sets.map(commandOf));
    return new Promise((resolve, reject) => {
      const request: Request = { missing: new Set(sets), found: new Map(), resolve, reject };
      this.#request = request;
      this.#silence = setTimeout(() => this.#silent(request), nftSilentMs);
    });
  }

  /** Reads first what nft wrote while this process did not run, such as in a pause of the machine. */
  #silent(request: Request): void {
    const { size } = request.missing;
    setImmediate(() => {
      if (this.#request === request && request.missing.size === size)
        this.#fail(`nft has not responded for ${nftSilentMs / 1000} s`);
    });
  }

  /** Carries out the commands so far. Resolves when the process has ended, and its table with it. */
  async close(): Promise<void> {
    this.#isClosing = true;
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
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOENT') return 'nft is not installed';
  // EPIPE: nft ended before it had read the commands. Its status says why.
  if (error && code !== 'EPIPE') return error.message;
  return status === 0
    ? undefined
    : `nft: ${stderr
        .split('\n', 1)
        .join()
        .replace(/^.*Error: /, '')}`;
}
