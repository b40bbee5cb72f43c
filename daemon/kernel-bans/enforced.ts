/** Enforces bans in the kernel. When the mechanism fails, starts it again after a pause. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix } from '../address/prefix.ts';
import type { Served } from '../admission/admission.ts';
import { nothingMoved } from '../admission/recorder.ts';
import { ownAddresses } from '../process/limits.ts';
import { log } from '../process/log.ts';
import { after } from '../time/timer.ts';
import type { Guarded, KernelBans, KernelBansOptions, KernelBansState, ListedChange } from './kernel-bans.ts';
import {
  type GuardedListener,
  type ListName,
  listNames,
  type Mechanism,
  type RefusalCount,
  type StartMechanism,
} from './mechanism.ts';
import { Members } from './members.ts';
import { kernelRules } from './rules.ts';

const restartMs = daemonBounds.kernelBanRestartMs;

const emptyLists = (): Readonly<Record<ListName, Members>> => ({ ban: new Members(), threatfeed: new Members() });

export class Enforced implements KernelBans {
  readonly #start: StartMechanism;
  readonly #options: KernelBansOptions;
  /** Undefined from a failure until the restart. */
  #mechanism: Mechanism | undefined;
  /** Why only this process refuses connections. Undefined while the kernel does. */
  #failure: string | undefined;
  #enforcingSince = performance.now();
  #restartMs: number = restartMs.first;
  #cancelRestart = () => {};
  #refill = () => {};
  #members = emptyLists();
  /** The number of each service in the counts. It never changes, because counts are read later. */
  readonly #serviceNumbers = new Map<string, number>();
  readonly #servedByNumber: Served[] = [];
  /** `listener`: the value that was passed to the mechanism. `rules`: the rules from which it was made. */
  #guarded = new Map<Guarded['listener'], { readonly rules: Served['rules']; readonly listener: GuardedListener }>();
  readonly #timer: NodeJS.Timeout;
  #exceptions: readonly string[] = [];
  #isClosed = false;

  constructor(start: StartMechanism, options: KernelBansOptions) {
    this.#start = start;
    this.#options = options;
    this.#mechanism = start(this.#onFailure);
    this.#timer = setInterval(() => {
      options.checkClock();
      this.#readRefusals();
    }, daemonBounds.kernelBanCountMs).unref();
  }

  listed = ({ source, prefix, until }: ListedChange): void => {
    if (!this.#mechanism) return; // after a restart, `#refill` adds the whole lists
    const members = this.#members[source];
    const leftMs = until - this.#options.now();
    if (leftMs > 0) members.put(prefix, this.#mechanism.add(source, prefix, leftMs));
    else if (members.delete(prefix)) this.#mechanism.remove(source, prefix);
  };

  onRestart = (refill: () => void): void => {
    this.#refill = refill;
  };

  #onFailure = (why: string): void => {
    if (this.#isClosed) return;
    if (performance.now() - this.#enforcingSince > restartMs.most) this.#restartMs = restartMs.first;
    this.#enforcingSince = Number.POSITIVE_INFINITY;
    this.#mechanism = undefined;
    this.#members = emptyLists();
    this.#failure = `${why}, and bpf is being restarted`;
    this.#options.fault(`${why}: only the daemon refuses connections until bpf is restarted`);
    this.#cancelRestart = after(this.#restartMs, this.#restart);
    this.#restartMs = Math.min(this.#restartMs * 2, restartMs.most);
  };

  #restart = (): void => {
    try {
      this.#mechanism = this.#start(this.#onFailure);
    } catch (error) {
      this.#onFailure((error as Error).message);
      return;
    }
    this.#failure = undefined;
    this.#enforcingSince = performance.now();
    log.info('bpf is restarted: the kernel refuses connections again');
    this.#enforce([]);
    this.#refill();
  };

  #numberOf(service: string): number | undefined {
    const existing = this.#serviceNumbers.get(service);
    if (existing !== undefined) return existing;
    const number = this.#serviceNumbers.size;
    if (number === daemonBounds.kernelBanServices) return undefined;
    this.#serviceNumbers.set(service, number);
    return number;
  }

  guard = (guarded: readonly Guarded[]): void => {
    const own = ownAddresses();
    const before = this.#guarded;
    this.#guarded = new Map();
    const released: number[] = [];
    const exceptions: string[] = [];
    for (const { served, listener } of guarded) {
      const earlier = before.get(listener);
      const listenerOrReason =
        earlier?.rules === served.rules ? earlier.listener : this.#guardedListenerOf({ served, listener }, own);
      if (typeof listenerOrReason !== 'string')
        this.#guarded.set(listener, { rules: served.rules, listener: listenerOrReason });
      else {
        exceptions.push(`${served.service.name}: ${listenerOrReason}`);
        if (listener.descriptor !== undefined) released.push(listener.descriptor);
      }
    }
    this.#exceptions = [...exceptions, ...this.#enforce(released)];
  };

  /** Attaches filters to all listeners. Returns a text for each service where that failed. */
  #enforce(released: readonly number[]): string[] {
    const listeners = [...this.#guarded.values()].map(({ listener }) => listener);
    const failures = this.#mechanism?.guard(listeners, released) ?? [];
    return [...failures].map(([number, failure]) => `${this.#servedByNumber[number]?.service.name}: ${failure}`);
  }

  #guardedListenerOf({ served, listener }: Guarded, own: readonly string[]): GuardedListener | string {
    const serviceNumber = this.#numberOf(served.service.name);
    if (serviceNumber === undefined) return 'there are too many services';
    this.#servedByNumber[serviceNumber] = served;
    const rules = kernelRules(served, own);
    return typeof rules === 'string' ? rules : { serviceNumber, isShared: false, ...listener, ...rules };
  }

  #readRefusals(): void {
    try {
      for (const refused of this.#mechanism?.read() ?? []) this.#accountForRefusal(refused);
    } catch (error) {
      this.#options.fault(`cannot read the counts of bans in the kernel: ${(error as Error).message}`);
    }
  }

  #accountForRefusal({ serviceNumber, reason, client, count }: RefusalCount): void {
    const served = this.#servedByNumber[serviceNumber];
    if (!served) return;
    const ip = client ? formatPrefix(client) : '';
    served.counts.blocked += count;
    this.#options.record(served.service, { ip, port: 0 }, 'blocked', reason, {
      ...nothingMoved,
      ...(count > 1 && { count }),
    });
    if (reason === 'threatfeed') this.#options.account(ip, count);
  }

  state = (): KernelBansState => {
    const sum = (field: 'entries' | 'leftOut') =>
      listNames.reduce((total, name) => total + this.#members[name][field], 0);
    return {
      mechanism: this.#failure === undefined ? 'bpf' : 'user_space',
      reason: this.#failure ?? 'the process has CAP_BPF',
      entries: sum('entries'),
      leftOut: sum('leftOut'),
      exceptions: this.#exceptions,
    };
  };

  close = async (): Promise<void> => {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#cancelRestart();
    for (const refused of this.#mechanism?.close() ?? []) this.#accountForRefusal(refused);
  };
}
