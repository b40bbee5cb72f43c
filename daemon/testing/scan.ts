/** For tests: a scan of a port, as `nmap -sT` does it. */
import { execFileSync } from 'node:child_process';
import type { Endpoint } from '../../contract/values/endpoint.ts';

/** Connects five times and resets each connection immediately. Blocks this process, so it accepts none meanwhile. */
export function scan({ host, port }: Endpoint): void {
  const program = `for (let count = 0; count < 5; count += 1) {
    const socket = require('node:net').connect(${port}, '${host}', () => socket.resetAndDestroy()).on('error', () => {});
  }`;
  execFileSync(process.execPath, ['-e', program]);
}
