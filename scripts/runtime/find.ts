/** The container runtime that responds, found where guardcli finds it. */
import { diskFiles } from '../../cli/sandbox/connect.ts';
import { type Endpoint, locate } from '../../cli/sandbox/locate.ts';
import { Unavailable } from '../tasks/task.ts';
import { ask } from './connection.ts';

/** Longer than a busy runtime takes for a ping, shorter than a user waits in silence. */
const pingTimeoutMs = 5000;

/** Where a runtime may be; throws Unavailable when what the user named cannot be understood. */
export function candidates(): readonly Endpoint[] {
  const located = locate(process.env, diskFiles);
  if (!located.ok) throw new Unavailable(located.message);
  return located.endpoints;
}

/** Whether the user named this runtime, by environment or context; others are found by the path of their socket. */
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

/** The first runtime that responds. */
export async function findRuntime(): Promise<Endpoint | undefined> {
  for (const endpoint of candidates()) {
    if (await answers(endpoint)) return endpoint;
  }
  return undefined;
}
