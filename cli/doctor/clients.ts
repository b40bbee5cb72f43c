/** Checks whether the access logs of this machine have the addresses of clients, or those of a CDN. */
import { existsSync, globSync } from 'node:fs';
import { logPlaces } from '../../contract/logs/places.ts';
import { edgeFindings } from '../../contract/values/edges.ts';
import { LogParser } from '../../logs/access/parser.ts';
import { readTailSync } from '../../platform/regular-file.ts';
import { replayBounds } from '../counting/bounds.ts';
import { Counter } from '../counting/counter.ts';
import { policyFor } from '../evaluate/policy.ts';
import { hasDefaultFile } from '../input/source.ts';
import type { Context } from '../program/context.ts';
import { counted } from '../program/counted.ts';
import { problemError } from './problem.ts';

const [tailBytes, mostLogs] = [256 * 1024, 32];

/** The policy that `tcp-guard init host` writes. */
const hostPolicy = '/etc/guard/guard.json';

const accessPlaces = logPlaces.flatMap(({ format, files = [] }) => (format === 'access' ? files : []));

/** Counts the clients in the last lines of a log. Returns false when the log cannot be read. */
function countClients(file: string, clients: Counter<undefined>): boolean {
  let tail: string;
  try {
    tail = readTailSync(file, tailBytes).toString('latin1');
  } catch {
    return false;
  }
  const parser = new LogParser();
  for (const line of tail.split('\n')) {
    const logged = parser.parse(line);
    if (typeof logged === 'object' && logged.address !== undefined) clients.add(logged.address);
  }
  return true;
}

async function trustedProxies(context: Context): Promise<readonly string[]> {
  const isOfHost = !hasDefaultFile(context) && existsSync(hostPolicy);
  return (await policyFor(isOfHost ? { config: hostPolicy } : {}, context)).policy.trustedProxies;
}

/** Returns which logs were read. @throws ExternalError when most clients of the logs are addresses of one CDN */
export async function checkClients(context: Context, places: readonly string[] = accessPlaces): Promise<string> {
  const files = globSync([...places]).slice(0, mostLogs);
  const clients = new Counter(replayBounds.clients);
  const readable = files.filter((file) => countClients(file, clients));
  const frequent = clients.sorted().map(({ key }) => key);
  const [finding] = edgeFindings(frequent, await trustedProxies(context));
  const logs = counted(readable.length, 'access log');
  if (finding) throw problemError(`${finding.found}, in ${logs}`, finding.fix);
  const unread = files.length - readable.length;
  return `no CDN in ${logs}${unread === 0 ? '' : `; ${unread} cannot be read by this user`}`;
}
