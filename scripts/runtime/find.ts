/** Finds a container runtime that responds, in the same places as guardcli. */
import { diskFiles } from '../../cli/sandbox/connect.ts';
import { type Endpoint, locate } from '../../cli/sandbox/locate.ts';
import { Unavailable } from '../tasks/task.ts';
import { ask } from './connection.ts';

/** Longer than a busy runtime takes for a ping, shorter than a user waits without output. */
const pingTimeoutMs = 5000;

/** Possible endpoints of a container runtime. Throws Unavailable when the selected endpoint is invalid. */
export function candidates(): readonly Endpoint[] {
  const located = locate(process.env, diskFiles);
  if (!located.ok) throw new Unavailable(located.message);
  return located.endpoints;
}

/** Whether the user selected this endpoint by environment or context. Others are found by the path of their socket. */
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

/** The first container runtime that responds. */
export async function findRuntime(): Promise<Endpoint | undefined> {
  for (const endpoint of candidates()) {
    if (await answers(endpoint)) return endpoint;
  }
  return undefined;
}
