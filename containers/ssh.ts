/**
 * The Docker API through the user's `ssh`, like the Docker client. The library inside dockerode accepts any host key.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Address } from './endpoint.ts';

type SshAddress = Extract<Address, { kind: 'ssh' }>;
type Connected = (error: Error | null, stream: Duplex) => void;

const connectSeconds = 30;

function sshArguments({ host, port, user }: SshAddress): readonly string[] {
  const login = user === undefined ? [] : ['-l', user];
  const where = port === undefined ? [] : ['-p', String(port)];
  const remote = ['--', host, 'docker', 'system', 'dial-stdio'];
  return ['-o', `ConnectTimeout=${connectSeconds}`, '-T', ...login, ...where, ...remote];
}

/** Milliseconds to wait for the end of standard error. A background master process of ssh keeps it open for hours. */
const stderrEndMs = 500;

/** Characters of standard error. The error message quotes its last line. */
const keptStderr = 1000;

/** An `ssh` process as a socket for Node's HTTP client. */
class SshStream extends Duplex {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #stderr = '';

  constructor(address: SshAddress) {
    super();
    const child = spawn('ssh', sshArguments(address), { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    child.stdin.on('error', () => {}); // ssh ended: its status explains why
    child.stdout.on('data', (chunk: Buffer) => this.push(chunk) || child.stdout.pause());
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('latin1')).slice(-keptStderr);
    });
    child.on('error', (error) => this.destroy(error));
    const stderrEnd = once(child.stderr, 'end').catch(() => {});
    // The event `close` would also wait for the end of standard error.
    Promise.all([once(child, 'exit'), once(child.stdout, 'end')]).then(
      async ([[status]]) => {
        await Promise.race([stderrEnd, setTimeout(stderrEndMs, undefined, { ref: false })]);
        if (status === 0) this.push(null);
        else this.destroy(new Error(this.#lastLine() || `ssh ended with status ${status}`));
      },
      () => {}, // ssh could not be started
    );
  }

  #lastLine(): string {
    return this.#stderr.trim().split('\n').at(-1) ?? '';
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#child.stdin.write(chunk, () => done());
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const end of [stdin, stdout, stderr]) end.destroy();
    this.#child.kill(); // does not wait for its end
    this.#child.unref();
    done(error);
  }

  readonly setKeepAlive = (): this => this;
  readonly setNoDelay = this.setKeepAlive;
  readonly setTimeout = this.setKeepAlive;

  ref(): this {
    for (const end of this.#handles()) end.ref?.();
    return this;
  }

  /** An idle connection does not keep the program running. */
  unref(): this {
    for (const end of this.#handles()) end.unref?.();
    return this;
  }

  #handles(): readonly { ref?: () => void; unref?: () => void }[] {
    const { stdin, stdout, stderr } = this.#child;
    return [this.#child, stdin, stdout, stderr] as { ref?: () => void; unref?: () => void }[];
  }
}

export class SshAgent extends Agent {
  readonly address: SshAddress;

  constructor(address: SshAddress) {
    super({ keepAlive: true });
    this.address = address;
  }

  override createConnection(_options: unknown, connected?: Connected): Duplex {
    const stream = new SshStream(this.address);
    queueMicrotask(() => connected?.(null, stream));
    return stream;
  }
}
