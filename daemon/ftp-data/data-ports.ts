/**
 * Data ports of FTP in passive mode. The caller closes a port, for example when its client has connected. A timeout
 * closes it at the latest. Workers share a range: the system lets only one of them listen on a port.
 */
import { randomInt } from 'node:crypto';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Ports } from '../../contract/values/ports.ts';
import type { Connection, DataPlane, Listener } from '../plane/plane.ts';

interface DataPortRequest<C extends Connection> {
  readonly host: string;
  readonly ports: Ports;
  readonly key: string;
  /** Called with each connection until the port is closed. */
  readonly accept: (connection: C) => void;
  /** Called once when the port is closed. */
  readonly closed: () => void;
}

export type OpenedPort =
  | { readonly ok: true; readonly port: number; readonly close: () => void }
  | { readonly ok: false; readonly why: 'too_many_ports' | 'no_free_port' };

const { ftpDataPorts, ftpDataPortsPerClient, ftpDataPortShare, ftpDataPortTries, ftpDataPortMs } = daemonBounds;

export class DataPorts<C extends Connection> {
  readonly #listen: DataPlane<C>['listenNow'];
  readonly #fault: (message: string) => void;
  readonly #processCount: number;
  readonly #timeoutMs: number;
  readonly #openPorts = new Set<number>();
  readonly #portsPerClient = new Map<string, number>();

  /** `processCount`: how many processes share the ranges. */
  constructor(
    { listenNow }: Pick<DataPlane<C>, 'listenNow'>,
    fault: (message: string) => void,
    processCount = 1,
    timeoutMs: number = ftpDataPortMs,
  ) {
    this.#listen = listenNow;
    this.#fault = fault;
    this.#processCount = processCount;
    this.#timeoutMs = timeoutMs;
  }

  /** Opens a free port. A timeout closes it at the latest. */
  open(request: DataPortRequest<C>): OpenedPort {
    const { key } = request;
    const count = this.#portsPerClient.get(key) ?? 0;
    if (count >= this.#mostPerClient(request.ports) || this.#openPorts.size >= ftpDataPorts)
      return { ok: false, why: 'too_many_ports' };
    const listener = this.#listenIn(request);
    if (!listener) return { ok: false, why: 'no_free_port' };
    const { port } = listener.endpoint;
    this.#openPorts.add(port);
    this.#portsPerClient.set(key, count + 1);
    let isOpen = true;
    const close = () => {
      clearTimeout(timer);
      if (!isOpen) return; // by now, the port may belong to another client
      isOpen = false;
      this.#openPorts.delete(port);
      this.#forget(key);
      void listener.close();
      request.closed();
    };
    const timer = setTimeout(close, this.#timeoutMs);
    return { ok: true, port, close };
  }

  #mostPerClient({ first, last }: Ports): number {
    const share = ((last - first + 1) * ftpDataPortShare) / this.#processCount;
    return Math.min(ftpDataPortsPerClient, Math.ceil(share));
  }

  #forget(key: string): void {
    const left = (this.#portsPerClient.get(key) ?? 1) - 1;
    if (left === 0) this.#portsPerClient.delete(key);
    else this.#portsPerClient.set(key, left);
  }

  /**
   * Tries ports of the range in order. The first one is random: an attacker must not guess the port and connect first.
   * Returns undefined when all of them are in use, after `ftpDataPortTries` tries, or after any other error.
   */
  #listenIn(request: DataPortRequest<C>): Listener | undefined {
    const { first, last } = request.ports;
    const size = last - first + 1;
    const start = randomInt(size);
    let tries = 0;
    for (let offset = 0; offset < size && tries < ftpDataPortTries; offset += 1) {
      const port = first + ((start + offset) % size);
      if (this.#openPorts.has(port)) continue;
      tries += 1;
      const listener = this.#listenOn(port, request);
      if (listener !== 'in_use') return listener;
    }
    return undefined;
  }

  /** Returns undefined after another error, such as a lack of descriptors: other ports would most likely fail, too. */
  #listenOn(port: number, { host, accept }: DataPortRequest<C>): Listener | 'in_use' | undefined {
    try {
      return this.#listen({ host, port }, { accept, unattributed: () => {}, fault: this.#fault });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE') return 'in_use';
      this.#fault(`cannot listen for an FTP data connection: ${message}`);
      return undefined;
    }
  }
}
