/** The container engine that answers, found where guardcli finds it. */
import { diskFiles } from '../../cli/sandbox/connect.ts';
import { type Endpoint, locate } from '../../cli/sandbox/locate.ts';
import { Unavailable } from '../tasks/task.ts';
import { ask } from './connection.ts';

/** Longer than a busy engine takes for a ping, shorter than a person waits in silence. */
const pingTimeoutMs = 5000;

/** Where an engine may be; throws Unavailable when what the user named cannot be understood. */
export function candidates(): readonly Endpoint[] {
  const located = locate(process.env, diskFiles);
  if (!located.ok) throw new Unavailable(located.message);
  return located.endpoints;
}

/** Whether the user asked for this engine, by environment or context; others are found by the path of their socket. */
export const isNamed = ({ origin }: Endpoint): boolean => !origin.startsWith('/');

async function answers(endpoint: Endpoint): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(pingTimeoutMs);
    (await ask(endpoint, { method: 'GET', path: '/_ping', signal })).resume();
    return true;
  } catch {
    return false;
  }
}

/** The first engine that answers. */
export async function findEngine(): Promise<Endpoint | undefined> {
  for (const endpoint of candidates()) {
    if (await answers(endpoint)) return endpoint;
  }
  return undefined;
}
