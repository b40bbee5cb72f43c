/** The judge of a worker: it asks the first process, and keeps the places that it is given. */
import type { Client } from '../address/client.ts';
import type { Judge, Served } from '../admission/admission.ts';
import { idOf } from '../listen/listeners.ts';
import type { Link } from './link.ts';
import type { FromWorker } from './messages.ts';

export interface Asking extends Judge {
  /** What the first process decided on a place; no refusal: it is given. */
  readonly decide: (place: number, refusal: string | undefined) => void;
  readonly cut: (place: number, reason: string) => void;
}

type Cut = (reason: string) => void;

const untaken: Cut = () => {};

class FirstProcess implements Asking {
  readonly #link: Pick<Link<FromWorker>, 'post' | 'postLater'>;
  readonly #waiting = new Map<number, (refusal: string | undefined) => void>();
  readonly #places = new Map<number, Cut>();
  #last = 0;

  constructor(link: Pick<Link<FromWorker>, 'post' | 'postLater'>) {
    this.#link = link;
  }

  admit: Judge['admit'] = (client, served, decided) => {
    const place = this.#ask(client, served, false, (refusal) => {
      if (refusal !== undefined) return decided({ refusal });
      this.#places.set(place, untaken);
      decided({ enter: ({ cut }) => this.#take(place, cut) });
      if (this.#places.get(place) === untaken) this.#leave(place);
    });
  };

  reserve: Judge['reserve'] = (neighbour, served, cut, decided) => {
    const place = this.#ask(neighbour, served, true, (refusal) =>
      decided(refusal === undefined ? this.#take(place, cut) : undefined),
    );
  };

  hold: Judge['hold'] = (cut) => {
    const place = ++this.#last;
    this.#link.post({ kind: 'held', place });
    return this.#take(place, cut);
  };

  #ask(client: Client, { service }: Served, isNeighbour: boolean, told: (refusal: string | undefined) => void): number {
    const place = ++this.#last;
    const at = idOf({ name: service.name, endpoint: service.listen });
    this.#waiting.set(place, told);
    this.#link.post({ kind: 'ask', place, at, ip: client.ip, port: client.port, isNeighbour });
    return place;
  }

  #take(place: number, cut: Cut): () => void {
    this.#places.set(place, cut);
    return () => this.#leave(place);
  }

  #leave(place: number): void {
    if (this.#places.delete(place)) this.#link.postLater({ kind: 'left', place });
  }

  decide = (place: number, refusal: string | undefined) => {
    const told = this.#waiting.get(place);
    this.#waiting.delete(place);
    told?.(refusal);
  };

  cut = (place: number, reason: string) => this.#places.get(place)?.(reason);
}

export function createAsking(link: Pick<Link<FromWorker>, 'post' | 'postLater'>): Asking {
  return new FirstProcess(link);
}
