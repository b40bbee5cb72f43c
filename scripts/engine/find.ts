/** The container engine that answers, found as guardcli finds it. */
import { existsSync, readFileSync } from 'node:fs';
import { addressText } from '../../cli/sandbox/endpoint.ts';
import { type Endpoint, type Files, locate } from '../../cli/sandbox/locate.ts';
import { command } from '../../sandbox-images/command.ts';
import { Unavailable } from '../graph/task.ts';
import { ask } from './connection.ts';

/** Longer than a busy engine takes for a ping, shorter than a person waits in silence. */
const pingTimeoutMs = 3000;

const files: Files = {
  exists: existsSync,
  read: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
};

async function ping(endpoint: Endpoint): Promise<void> {
  const signal = AbortSignal.timeout(pingTimeoutMs);
  if (endpoint.address.kind === 'ssh')
    await command('docker', ['-H', addressText(endpoint.address), 'version'], { signal });
  else (await ask(endpoint, { method: 'GET', path: '/_ping', signal })).resume();
}

/** Where an engine may be; throws Unavailable when what the user named cannot be understood. */
export function candidates(): readonly Endpoint[] {
  const located = locate(process.env, files);
  if (!located.ok) throw new Unavailable(located.message);
  return located.endpoints;
}

/** Whether the user asked for this engine, by environment or context; others are found by the path of their socket. */
export const isNamed = ({ origin }: Endpoint): boolean => !origin.startsWith('/');

/** The first engine that answers. */
export async function findEngine(): Promise<Endpoint | undefined> {
  for (const endpoint of candidates()) {
    const answers = await ping(endpoint).then(
      () => true,
      () => false,
    );
    if (answers) return endpoint;
  }
  return undefined;
}
