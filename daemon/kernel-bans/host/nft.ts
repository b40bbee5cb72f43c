/** Runs nft(8) with a bound of time. Each run is one transaction. */
import { spawn } from 'node:child_process';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

/** Characters of a message of nft that are kept. */
const keptCharacters = 400;

/** nft keeps a history of its commands in the home directory. There is none below a device. */
const environment = () => ({ ...process.env, HOME: '/dev/null' });

function messageOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'nft is not installed' : `nft: ${error.message}`;
}

/** Resolves with the standard output. @throws Error that says what nft refused */
export function nft(args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('nft', args, {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: daemonBounds.nftMs,
      killSignal: 'SIGKILL',
    });
    let [output, said] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => {
      if (output.length < daemonBounds.nftOutputBytes) output += piece.toString();
    });
    child.stderr.on('data', (piece: Buffer) => {
      said = (said + piece.toString()).slice(0, keptCharacters);
    });
    child.stdin.on('error', () => {}); // nft ended before it had read the commands: its status says why
    child.on('error', (error) => reject(new Error(messageOf(error))));
    child.on('close', (status, signal) => {
      if (status === 0) resolve(output);
      else if (signal) reject(new Error(`nft did not end within ${daemonBounds.nftMs / 1000} s`));
      else
        reject(
          new Error(
            `nft: ${said
              .split('\n', 1)
              .join()
              .replace(/^.*Error: /, '')}`,
          ),
        );
    });
    child.stdin.end(input);
  });
}
