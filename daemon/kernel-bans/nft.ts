/** Runs nft(8) with bounds of time and memory. Each run is one transaction. */
import { spawn } from 'node:child_process';
import { daemonBounds } from '../../contract/daemon/bounds.ts';

/** Characters of a message of nft that are kept. */
const keptCharacters = 400;

/** nft keeps a history of its commands in the home directory. There is none below a device. */
const environment = () => ({ ...process.env, HOME: '/dev/null' });

/** The shell limits the memory of nft where it may, then becomes nft. Status 127: there is no such program. */
const limited = `ulimit -v ${daemonBounds.nftKilobytes}; exec nft "$@"`;
const noSuchProgram = 127;

export class NftIsAbsent extends Error {
  constructor() {
    super('nft is not installed');
  }
}

function failure(status: number | null, said: string): Error {
  if (status === noSuchProgram) return new NftIsAbsent();
  if (status === null) return new Error('nft was killed');
  const [line = ''] = said.split('\n', 1);
  return new Error(`nft: ${line.replace(/^.*Error: /, '') || `status ${status}`}`);
}

/** Kills nft and the programs that it started, such as those of a wrapper: they are a group. */
function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

interface Run {
  readonly input?: string;
  readonly mostMs?: number;
  /** Gets the output in pieces, of any length. Then the result is empty. */
  readonly onOutput?: (piece: string) => void;
}

/** Resolves with the standard output. @throws Error that says what nft refused, or that it was killed after `mostMs` */
export function nft(
  args: readonly string[],
  { input = '', mostMs = daemonBounds.nftMs, onOutput }: Run = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', limited, 'nft', ...args], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    child.on('error', ({ message }) => reject(new Error(`nft: ${message}`)));
    if (child.pid === undefined) return; // it did not start: without a free descriptor it has no streams
    const timer = setTimeout(() => {
      reject(new Error(`nft did not end within ${mostMs / 1000} s`));
      killGroup(child.pid);
    }, mostMs);
    let [output, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      if (onOutput) onOutput(piece);
      else output += piece;
      if (output.length > daemonBounds.nftOutputBytes) child.stdout.destroy(new Error('nft prints too much'));
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      said = (said + piece).slice(0, keptCharacters);
    });
    child.stdout.on('error', reject);
    child.stdin.on('error', () => {}); // nft ended before it had read the commands: its status says why
    child.on('close', (status) => {
      clearTimeout(timer);
      if (status === 0) resolve(output);
      else reject(failure(status, said));
    });
    child.stdin.end(input);
  });
}
