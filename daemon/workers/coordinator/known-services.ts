/**
 * The current services, and earlier ones with open connections. A session continues under the configuration that
 * accepted it.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Served } from '../../admission/admission.ts';
import { idOf } from '../../listen/listeners.ts';
import type { AdmissionRequest } from '../link/messages.ts';

/** Identifies a service by listener and name. A name can move to another port, and a port can get another name. */
type ServiceKey = Pick<AdmissionRequest, 'listenerId' | 'service'>;

const keyOf = ({ listenerId, service }: ServiceKey): string => `${listenerId}\n${service}`;

export class KnownServices {
  #current: ReadonlyMap<string, Served> = new Map();
  /** The ids of the listeners of the current services, by the name of the service. */
  #listeners: ReadonlyMap<string, string> = new Map();
  /** Earlier services, oldest first. */
  readonly #earlierServices = new Map<string, Served>();
  /** The number of occupied slots of each service. */
  readonly #slots = new Map<string, number>();

  /** Replaces the current services. Earlier ones stay while they have connections, up to `earlierServices` of them. */
  replace(services: readonly Served[]): void {
    const serviceKeys = services.map(({ service: { name, listen } }) => ({
      listenerId: idOf({ name, endpoint: listen }),
      service: name,
    }));
    const current = new Map(services.map((served, index) => [keyOf(serviceKeys[index] as ServiceKey), served]));
    for (const [key, served] of this.#current) if (this.#slots.has(key)) this.#earlierServices.set(key, served);
    for (const key of current.keys()) this.#earlierServices.delete(key);
    const surplus = Math.max(0, this.#earlierServices.size - daemonBounds.earlierServices);
    for (const key of [...this.#earlierServices.keys()].slice(0, surplus)) this.#earlierServices.delete(key);
    this.#current = current;
    this.#listeners = new Map(serviceKeys.map(({ listenerId, service }) => [service, listenerId]));
  }

  /**
   * The service of a connection. Undefined when the service was removed and has no open connection, or is beyond
   * `daemonBounds.earlierServices`.
   */
  of(serviceKey: ServiceKey): Served | undefined {
    const key = keyOf(serviceKey);
    return this.#current.get(key) ?? this.#earlierServices.get(key);
  }

  /** Counts the slot of a connection. Returns a function that frees the slot here and calls `free`. */
  enter(serviceKey: ServiceKey, free: () => void): () => void {
    const key = keyOf(serviceKey);
    this.#slots.set(key, (this.#slots.get(key) ?? 0) + 1);
    return () => {
      this.#leave(key);
      free();
    };
  }

  /** Like `enter`, for a service of the current configuration. Looks up its listener. */
  enterCurrent(service: string, free: () => void): () => void {
    return this.enter({ listenerId: this.#listeners.get(service) ?? '', service }, free);
  }

  #leave(key: string): void {
    const left = (this.#slots.get(key) ?? 1) - 1;
    if (left > 0) this.#slots.set(key, left);
    else this.#slots.delete(key);
    // Delete it later: behind a trusted proxy a slot is freed just before the connection is admitted.
    if (left === 0 && this.#earlierServices.has(key))
      setImmediate(() => this.#slots.has(key) || this.#earlierServices.delete(key));
  }
}
