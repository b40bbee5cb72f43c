/**
 * The services that connections of workers were accepted for: those in force, and earlier ones while connections of them are
 * open. A session continues under the configuration that it was accepted under, and the coordinator admits its data
 * connections.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Served } from '../../admission/admission.ts';
import { idOf } from '../../listen/listeners.ts';
import type { AdmissionRequest } from '../link/messages.ts';

/** A service at a listener: the port of a name can change, and the name at a port. */
type Place = Pick<AdmissionRequest, 'at' | 'service'>;

const keyOf = ({ at, service }: Place): string => `${at}\n${service}`;

export class KnownServices {
  #current: ReadonlyMap<string, Served> = new Map();
  /** The listeners of the current services, by name. */
  #listeners: ReadonlyMap<string, string> = new Map();
  /** The longest known ones come first. */
  readonly #earlier = new Map<string, Served>();
  /** The number of occupied slots. */
  readonly #slots = new Map<string, number>();

  /** The services of a new configuration are in force. */
  replace(services: readonly Served[]): void {
    const places = services.map(({ service: { name, listen } }) => ({
      at: idOf({ name, endpoint: listen }),
      service: name,
    }));
    const current = new Map(services.map((served, index) => [keyOf(places[index] as Place), served]));
    for (const [key, served] of this.#current) if (this.#slots.has(key)) this.#earlier.set(key, served);
    for (const key of current.keys()) this.#earlier.delete(key);
    const surplus = Math.max(0, this.#earlier.size - daemonBounds.earlierServices);
    for (const key of [...this.#earlier.keys()].slice(0, surplus)) this.#earlier.delete(key);
    this.#current = current;
    this.#listeners = new Map(places.map(({ at, service }) => [service, at]));
  }

  /** Undefined: the service was removed, and no connection of it is open. */
  of(place: Place): Served | undefined {
    const key = keyOf(place);
    return this.#current.get(key) ?? this.#earlier.get(key);
  }

  /** A connection has a slot. Returns what frees both. */
  enter(place: Place, free: () => void): () => void {
    const key = keyOf(place);
    this.#slots.set(key, (this.#slots.get(key) ?? 0) + 1);
    return () => {
      this.#leave(key);
      free();
    };
  }

  /** As `enter`, for a connection of a current service that a worker admitted. */
  enterCurrent(service: string, free: () => void): () => void {
    return this.enter({ at: this.#listeners.get(service) ?? '', service }, free);
  }

  #leave(key: string): void {
    const left = (this.#slots.get(key) ?? 1) - 1;
    if (left > 0) this.#slots.set(key, left);
    else this.#slots.delete(key);
    // Later: behind a trusted proxy, the slot of a connection is freed just before it is admitted.
    if (left === 0 && this.#earlier.has(key)) setImmediate(() => this.#slots.has(key) || this.#earlier.delete(key));
  }
}
