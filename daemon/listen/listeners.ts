/** The set of listeners. A change that fails is rolled back. Open connections continue. */
import { type Endpoint, overlaps } from '../../contract/values/endpoint.ts';
import type { Connection, DataPlane, Listener } from '../plane/plane.ts';
import { listenFailure } from '../process/in-use.ts';

/** An endpoint to listen on, and its handlers. `accept` can change while the listener stays. */
export interface WantedListener<Arrived> {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly accept: (arrived: Arrived) => void;
  /** Called for a connection without the address of a client. */
  readonly unattributed?: () => void;
  /** Whether the change continues when this listener fails. The failure is then one of the `problems`. */
  readonly isOptional?: true;
}

interface OpenListener<Arrived> {
  wanted: WantedListener<Arrived>;
  readonly listener: Listener;
}

export interface Listeners<Arrived> {
  /**
   * Listens on exactly these endpoints. When it rejects, the earlier listeners are open. An exception is a listener
   * that was closed for the change and cannot be opened again: it is one of the `problems`.
   */
  readonly change: (wanted: readonly WantedListener<Arrived>[]) => Promise<void>;
  /** The endpoint of a name with its actual port. Undefined when the name has no listener. */
  readonly endpointOf: (name: string) => Endpoint | undefined;
  readonly problems: () => readonly string[];
}

type NamedEndpoint = Pick<WantedListener<never>, 'name' | 'endpoint'>;

export class ListenError extends Error {
  readonly wanted: NamedEndpoint;

  constructor(wanted: NamedEndpoint, cause: unknown) {
    super(`cannot listen for ${wanted.name}: ${listenFailure(cause, wanted.endpoint)}`, { cause });
    this.wanted = wanted;
  }
}

/** The id of a listener. It includes the name for port 0, because that is a different port each time. */
export const idOf = ({ name, endpoint: { host, port } }: NamedEndpoint): string =>
  `${port === 0 ? name : ''} ${host} ${port}`;

/** Starts a listener. It calls `wanted` for each connection, so that handlers can change. */
export type Listen<Arrived> = (wanted: () => WantedListener<Arrived>) => Promise<Listener>;

/**
 * Returns a function that listens in this process. `inherited`: descriptors that already listen, by name. Each is used
 * once, and closed with its listener.
 */
export const listenInThisProcess =
  <C extends Connection>(
    { listen }: Pick<DataPlane<C>, 'listen'>,
    fault: (message: string) => void,
    inherited = new Map<string, number>(),
  ): Listen<C> =>
  async (wanted) => {
    const { name, endpoint } = wanted();
    const descriptor = inherited.get(name);
    inherited.delete(name);
    const listener = await listen(endpoint, {
      ...(descriptor !== undefined && { descriptor }),
      accept: (connection) => wanted().accept(connection),
      unattributed: () => wanted().unattributed?.(),
      fault: (message) => fault(`${wanted().name}: ${message}`),
    });
    return descriptor === undefined ? listener : { ...listener, isShared: true };
  };

/** A listener that could not be opened again after a change failed. */
interface LostListener<Arrived> {
  readonly wanted: WantedListener<Arrived>;
  readonly message: string;
}

const lostListenerText = ({ message }: LostListener<never>): string =>
  `${message}; it is not listened on until the next reload that succeeds`;

/** A listener that can be opened only once comes last: it would be closed, and lost, if a later one failed. */
const inOpeningOrder = <Arrived>(
  added: readonly [string, WantedListener<Arrived>][],
  canListenOnce: (name: string) => boolean,
) => added.toSorted(([, a], [, b]) => Number(canListenOnce(a.name)) - Number(canListenOnce(b.name)));

/** `canListenOnce`: whether the listener of a name cannot be opened again after it was closed. */
export function createListeners<Arrived>(
  listen: Listen<Arrived>,
  fault: (message: string) => void,
  canListenOnce: (name: string) => boolean = () => false,
): Listeners<Arrived> {
  let held = new Map<string, OpenListener<Arrived>>();
  let missing: readonly string[] = [];
  const lost = new Map<string, LostListener<Arrived>>();

  const open = async (wanted: WantedListener<Arrived>): Promise<OpenListener<Arrived>> => {
    const entry = { wanted };
    const listening = listen(() => entry.wanted);
    const listener = await listening.catch((error) => Promise.reject(new ListenError(wanted, error)));
    return Object.assign(entry, { listener });
  };

  const closeAll = (all: readonly OpenListener<Arrived>[]) => Promise.all(all.map(({ listener }) => listener.close()));

  /** Opens a listener again. If another process has bound the port meanwhile, the next change tries again. */
  const reopen = async (wanted: WantedListener<Arrived>): Promise<void> => {
    const id = idOf(wanted);
    const listening = await open(wanted).catch((error: ListenError) => error);
    held.delete(id);
    if (!(listening instanceof ListenError)) {
      held.set(id, listening);
      return void lost.delete(id);
    }
    if (!lost.has(id)) fault(listening.message);
    lost.set(id, { wanted, message: listening.message });
  };

  const change = async (wanted: readonly WantedListener<Arrived>[]) => {
    const ids = new Map(wanted.map((entry) => [idOf(entry), entry]));
    const added = [...ids].filter(([id]) => !held.has(id));
    const removed = [...held].filter(([id]) => !ids.has(id));
    // Shared sockets are not closed for the change: they would stay bound, and could not be opened again.
    const inTheWay = removed.filter(
      ([, { wanted: old, listener }]) =>
        !listener.isShared && added.some(([, { endpoint }]) => overlaps(endpoint, old.endpoint)),
    );
    await closeAll(inTheWay.map(([, entry]) => entry));
    const opened = new Map<string, OpenListener<Arrived>>();
    const failed: string[] = [];
    try {
      for (const [id, entry] of inOpeningOrder(added, canListenOnce)) {
        const listening = await open(entry).catch((error: ListenError) => error);
        if (!(listening instanceof ListenError)) opened.set(id, listening);
        else if (entry.isOptional) failed.push(listening.message);
        else throw listening;
      }
    } catch (error) {
      await closeAll([...opened.values()]);
      const closed = [...inTheWay.map(([, entry]) => entry), ...lost.values()];
      for (const { wanted: old } of closed) await reopen(old);
      throw error;
    }
    lost.clear();
    await closeAll(removed.filter((entry) => !inTheWay.includes(entry)).map(([, entry]) => entry));
    const kept = [...held].filter(([id]) => ids.has(id));
    for (const [id, entry] of kept) entry.wanted = ids.get(id) as WantedListener<Arrived>;
    held = new Map([...kept, ...opened]);
    missing = failed;
    failed.forEach(fault);
  };

  const endpointOf = (name: string) => [...held.values()].find(({ wanted }) => wanted.name === name)?.listener.endpoint;
  const problems = () => [...missing, ...[...lost.values()].map(lostListenerText)];
  return { change, endpointOf, problems };
}
