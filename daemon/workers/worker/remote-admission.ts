/**
 * The admission of a worker. It decides what its gates and its allowance can decide, and requests other verdicts from
 * the coordinator.
 */
import type { Client } from '../../address/client.ts';
import { type Admission, accountForRefusal, type Served } from '../../admission/admission.ts';
import type { Recorder } from '../../admission/recorder.ts';
import { idOf } from '../../listen/listeners.ts';
import { type Link, laterMs } from '../link/link.ts';
import type { FromWorker, ToWorker } from '../link/messages.ts';
import type { Allowance } from './allowance.ts';
import type { createLocalGates } from './local-gates.ts';

type Cut = (reason: string) => void;
type Verdict = Extract<ToWorker, { kind: 'verdict' }>;

const notEntered: Cut = () => {};

/**
 * A granted slot. `cut` is cleared when the slot is released, because V8 keeps what entries of a busy Map refer to
 * (platform/linked-list.ts).
 */
interface Slot {
  cut: Cut | undefined;
}

interface RemoteAdmissionSources {
  readonly link: Pick<Link<FromWorker>, 'post' | 'postLater'>;
  readonly runLocalGates: ReturnType<typeof createLocalGates>;
  readonly allowance: Allowance;
  readonly record: Recorder;
}

export class RemoteAdmission implements Admission {
  readonly #sources: RemoteAdmissionSources;
  readonly #decisionHandlers = new Map<number, (verdict: Verdict) => void>();
  readonly #slots = new Map<number, Slot>();
  #last = 0;
  readonly #admitted: { readonly enter: Allowance['enter'] };

  constructor(sources: RemoteAdmissionSources) {
    this.#sources = sources;
    this.#admitted = { enter: (connection) => this.#enter(connection) };
  }

  admit: Admission['admit'] = (client, served, decided) => {
    const { runLocalGates, record } = this.#sources;
    const { service, rules, isData } = served;
    const verdict = runLocalGates({ client, service, rules, isData });
    if (verdict === 'coordinator') this.#requestAdmission(client, served, decided);
    else if (verdict === 'admitted') decided(this.#admitted);
    else {
      accountForRefusal(client, served, verdict.refusal, record);
      decided(verdict);
    }
  };

  #enter(connection: Parameters<Allowance['enter']>[0]): () => void {
    const { allowance, link } = this.#sources;
    const leave = allowance.enter(connection);
    if (allowance.isSpent()) link.post({ kind: 'spent', used: allowance.most });
    return leave;
  }

  #requestAdmission(client: Client, served: Served, decided: Parameters<Admission['admit']>[2]): void {
    const slot = this.#request(client, served, false, (refusal) => {
      if (refusal !== undefined) return decided({ refusal });
      this.#slots.set(slot, { cut: notEntered });
      decided({ enter: (connection) => this.#keep(slot, (reason) => connection.cut(reason)) });
      if (this.#slots.get(slot)?.cut === notEntered) this.#release(slot);
    });
  }

  reserve: Admission['reserve'] = (proxy, served, cut, decided) => {
    const slot = this.#request(proxy, served, true, (refusal) =>
      decided(refusal === undefined ? this.#keep(slot, cut) : undefined),
    );
  };

  reserveDescriptor: Admission['reserveDescriptor'] = (cut) => {
    const slot = ++this.#last;
    this.#sources.link.post({ kind: 'held', slot });
    return this.#keep(slot, cut);
  };

  /** Ends the allowance. From now on the coordinator counts its connections. */
  withdraw(): void {
    this.#sources.allowance.withdraw(this.#report);
  }

  /** Reports the connections of a client, which the coordinator counts from now on. */
  reportClient(key: string): void {
    this.#sources.allowance.reportClient(key, this.#report);
  }

  readonly #report: Parameters<Allowance['withdraw']>[0] = (connection) => {
    const slot = ++this.#last;
    const { client, service } = connection;
    const { ip, port } = client;
    this.#sources.link.post({ kind: 'entered', slot, service, ip, port });
    return this.#keep(slot, (reason) => connection.cut(reason));
  };

  #request(
    client: Client,
    served: Served,
    isTrustedProxy: boolean,
    decided: (refusal: string | undefined) => void,
  ): number {
    const { link, record } = this.#sources;
    const { service, isData } = served;
    const slot = ++this.#last;
    const listenerId = idOf({ name: service.name, endpoint: service.listen });
    this.#decisionHandlers.set(slot, ({ refusal, isUnknown }) => {
      if (refusal !== undefined && isUnknown) accountForRefusal(client, served, refusal, record);
      decided(refusal);
    });
    link.post({
      kind: 'admit',
      slot,
      listenerId,
      service: service.name,
      ip: client.ip,
      port: client.port,
      isTrustedProxy,
      isData: isData === true,
    });
    return slot;
  }

  #keep(slot: number, cut: Cut): () => void {
    this.#slots.set(slot, { cut });
    return () => this.#release(slot);
  }

  #release(slot: number): void {
    const entry = this.#slots.get(slot);
    if (!entry) return;
    entry.cut = undefined;
    this.#slots.delete(slot);
    this.#sources.link.postLater({ kind: 'left', slot }, laterMs.slot);
  }

  /** Handles the coordinator's verdict on a slot. Without a refusal, the slot is granted. */
  decide = (verdict: Verdict) => {
    const decided = this.#decisionHandlers.get(verdict.slot);
    this.#decisionHandlers.delete(verdict.slot);
    decided?.(verdict);
  };

  cut = (slot: number, reason: string) => this.#slots.get(slot)?.cut?.(reason);
}
