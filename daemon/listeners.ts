/** What is listened on. A change is made as a whole or not at all, and open connections do not notice. */
import { type Endpoint, overlaps } from '../contract/endpoint.ts';
import type { Connection, DataPlane, Listener } from './plane/plane.ts';

/** Somebody who wants an endpoint; who wants it may change while it is listened on. */
export interface Wanted {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly accept: (connection: Connection) => void;
  /** Where it cannot be listened for, the others are; that is one of the `problems`. */
  readonly isOptional?: true;
}

interface Held {
  wanted: Wanted;
  readonly listener: Listener;
}

export interface Listeners {
  /** Listens on these and nothing else. Where one cannot be had everything stays as it was, and it rejects. */
  readonly change: (wanted: readonly Wanted[]) => Promise<void>;
  /** The endpoint of a name, with the port that was taken; undefined: it is not listened on. */
  readonly endpointOf: (name: string) => Endpoint | undefined;
  readonly size: () => number;
  readonly problems: () => readonly string[];
}

/** An endpoint that could not be listened on. */
export class ListenError extends Error {
  readonly wanted: Wanted;

  constructor(wanted: Wanted, cause: unknown) {
    super(`cannot listen for ${wanted.name}: ${(cause as Error).message}`, { cause });
    this.wanted = wanted;
  }
}

/** Port 0 is another one each time, so that it belongs to its name. */
const idOf = ({ name, endpoint: { host, port } }: Wanted) => `${port === 0 ? name : ''} ${host} ${port}`;

export function createListeners(plane: DataPlane, fault: (message: string) => void): Listeners {
  let held = new Map<string, Held>();
  let missing: readonly string[] = [];

  const open = async (wanted: Wanted): Promise<Held> => {
    const entry = { wanted };
    const listening = plane.listen(wanted.endpoint, {
      accept: (connection) => entry.wanted.accept(connection),
      fault: (message) => fault(`${entry.wanted.name}: ${message}`),
    });
    const listener = await listening.catch((error) => Promise.reject(new ListenError(wanted, error)));
    return Object.assign(entry, { listener });
  };

  const closeAll = (entries: readonly Held[]) => Promise.all(entries.map(({ listener }) => listener.close()));

  const change = async (wanted: readonly Wanted[]) => {
    const ids = new Map(wanted.map((entry) => [idOf(entry), entry]));
    const added = [...ids].filter(([id]) => !held.has(id));
    const removed = [...held].filter(([id]) => !ids.has(id));
    const inTheWay = removed.filter(([, { wanted: old }]) =>
      added.some(([, { endpoint }]) => overlaps(endpoint, old.endpoint)),
    );
    await closeAll(inTheWay.map(([, entry]) => entry));
    const opened = new Map<string, Held>();
    const failed: string[] = [];
    try {
      for (const [id, entry] of added) {
        const listening = await open(entry).catch((error: ListenError) => error);
        if (!(listening instanceof ListenError)) opened.set(id, listening);
        else if (entry.isOptional) failed.push(listening.message);
        else throw listening;
      }
    } catch (error) {
      await closeAll([...opened.values()]);
      for (const [id, old] of inTheWay) held.set(id, await open(old.wanted));
      throw error;
    }
    await closeAll(removed.filter((entry) => !inTheWay.includes(entry)).map(([, entry]) => entry));
    const kept = [...held].filter(([id]) => ids.has(id));
    for (const [id, entry] of kept) entry.wanted = ids.get(id) as Wanted;
    held = new Map([...kept, ...opened]);
    missing = failed;
    failed.forEach(fault);
  };

  const endpointOf = (name: string) => [...held.values()].find(({ wanted }) => wanted.name === name)?.listener.endpoint;
  return { change, endpointOf, size: () => held.size, problems: () => missing };
}
