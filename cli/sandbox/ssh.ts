/**
 * The Docker API over SSH, as the Docker client does it: through the user's own `ssh`, with its known hosts, keys and
 * configuration. (The library that dockerode brings would accept any host key.)
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Agent } from 'node:http';
import { Duplex } from 'node:stream';
import type { Address } from './endpoint.ts';

type SshAddress = Extract<Address, { kind: 'ssh' }>;
type Connected = (error: Error | null, stream: Duplex) => void;

const connectSeconds = 30;

export function sshArguments({ host, port, user }: SshAddress): readonly string[] {
  const login = user === undefined ? [] : ['-l', user];
  const where = port === undefined ? [] : ['-p', String(port)];
  const remote = ['--', host, 'docker', 'system', 'dial-stdio'];
  return ['-o', `ConnectTimeout=${connectSeconds}`, '-T', ...login, ...where, ...remote];
}

/** What Node's HTTP client wants of a socket beyond being a stream. An idle connection keeps no program alive. */
function asSocket(stream: Duplex, child: ChildProcess): Duplex {
  const each = (name: 'ref' | 'unref') => () => {
    for (const end of [child, child.stdin, child.stdout] as { ref?: () => void; unref?: () => void }[]) end[name]?.();
    return stream;
  };
  const self = (): Duplex => stream;
  return Object.assign(stream, {
    setKeepAlive: self,
    setNoDelay: self,
    setTimeout: self,
    ref: each('ref'),
    unref: each('unref'),
  });
}

/** The last line that ssh said, kept short. */
function complaint(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('latin1')).slice(-1000);
  });
  return () => text.trim().split('\n').at(-1) ?? '';
}

function dial(address: SshAddress): Duplex {
  const child = spawn('ssh', sshArguments(address), { stdio: ['pipe', 'pipe', 'pipe'] });
  const stream = asSocket(Duplex.from({ readable: child.stdout, writable: child.stdin } as never), child);
  const said = complaint(child);
  child.on('error', (error) => stream.destroy(error));
  child.on('close', (status) => {
    if (status !== 0) stream.destroy(new Error(said() || `ssh ended with status ${status}`));
  });
  stream.on('close', () => child.kill());
  return stream;
}

export class SshAgent extends Agent {
  readonly address: SshAddress;

  constructor(address: SshAddress) {
    super({ keepAlive: true });
    this.address = address;
  }

  override createConnection(_options: unknown, connected?: Connected): Duplex {
    const stream = dial(this.address);
    queueMicrotask(() => connected?.(null, stream));
    return stream;
  }
}
