/** The admission of a worker: refuses banned clients, requests every other decision from the coordinator, and keeps the slots that it grants. */
import type { Client } from '../address/client.ts';
import { type Admission, account, type Served } from '../admission/admission.ts';
import type { Recorder } from '../admission/recorder.ts';
import { idOf } from '../listen/listeners.ts';
import type { BanReplica } from './ban-replica.ts';
import type { Link } from './link.ts';
import type { FromWorker } from './messages.ts';

type Cut = (reason: string) => void;

const notEntered: Cut = () => {};

/** Emptied when the slot is released: V8 keeps what entries of a busy Map refer to (platform/linked-list.ts). */
interface Slot {
  cut: Cut | undefined;
}

export class RemoteAdmission implements Admission {
  readonly #link: Pick<Link<FromWorker>, 'post' | 'postLater'>;
  readonly #bans: Pick<BanReplica, 'covers'>;
  readonly #record: Recorder;
  readonly #waiting = new Map<number, (refusal: string | undefined) => void>();
  readonly #slots = new Map<number, Slot>();
  #last = 0;

  constructor(link: Pick<Link<FromWorker>, 'post' | 'postLater'>, bans: Pick<BanReplica, 'covers'>, record: Recorder) {
    this.#link = link;
    this.#bans = bans;
    this.#record = record;
  }

  admit: Admission['admit'] = (client, served, decided) => {
    if (this.#bans.covers(client.ip) && !served.rules.neverBan.has(client.address)) {
      account(client, served, 'ban', this.#record);
      return decided({ refusal: 'ban' });
    }
    const slot = this.#request(client, served, false, (refusal) => {
      if (refusal !== undefined) return decided({ refusal });
      this.#slots.set(slot, { cut: notEntered });
      decided({ enter: ({ cut }) => this.#keep(slot, cut) });
      if (this.#slots.get(slot)?.cut === notEntered) this.#release(slot);
    });
  };

  reserve: Admission['reserve'] = (proxy, served, cut, decided) => {
    const slot = this.#request(proxy, served, true, (refusal) =>
      decided(refusal === undefined ? this.#keep(slot, cut) : undefined),
    );
  };

  hold: Admission['hold'] = (cut) => {
    const slot = ++this.#last;
    this.#link.post({ kind: 'held', slot });
    return this.#keep(slot, cut);
  };

  #request(
    client: Client,
    { service }: Served,
    isTrustedProxy: boolean,
    decided: (refusal: string | undefined) => void,
  ): number {
    const slot = ++this.#last;
    const at = idOf({ name: service.name, endpoint: service.listen });
    this.#waiting.set(slot, decided);
    this.#link.post({ kind: 'admit', slot, at, ip: client.ip, port: client.port, isTrustedProxy });
    return slot;
  }

  #keep(slot: number, cut: Cut): () => void {
    this.#slots.set(slot, { cut });
    return () => this.#release(slot);
  }

  #release(slot: number): void {
    const held = this.#slots.get(slot);
    if (!held) return;
    held.cut = undefined;
    this.#slots.delete(slot);
    this.#link.postLater({ kind: 'left', slot });
  }

  /** The coordinator's verdict on a slot. Without a refusal, the slot is granted. */
  decide = (slot: number, refusal: string | undefined) => {
    const decided = this.#waiting.get(slot);
    this.#waiting.delete(slot);
    decided?.(refusal);
  };

  cut = (slot: number, reason: string) => this.#slots.get(slot)?.cut?.(reason);
}
