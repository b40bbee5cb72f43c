/**
 * Bans in the kernel: listed addresses cannot connect to the services, and this process spends nothing on them. User space enforces
 * the same lists on every connection that reaches it, so nothing depends on the kernel.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix, type Prefix } from '../address/prefix.ts';
import type { Served } from '../admission/admission.ts';
import type { Recorder } from '../admission/recorder.ts';
import type { Listener } from '../plane/plane.ts';
import { ownAddresses } from '../process/limits.ts';
import { type Choice, choose, type KernelBansMode } from './choice.ts';
import { type GuardedListener, type ListName, listNames, type Mechanism, type Refused } from './mechanism.ts';
import { Members } from './members.ts';
import { kernelRules } from './rules.ts';

/** An address or network is listed until a time, milliseconds since the epoch. 0: it is not listed any more. */
export interface ListedChange {
  readonly source: ListName;
  readonly prefix: Prefix;
  readonly until: number;
}

/** A listening service. */
export interface Guarded {
  readonly served: Served;
  readonly listener: Pick<Listener, 'descriptor' | 'endpoint'>;
}

export interface KernelBansState {
  readonly mechanism: Mechanism['name'] | 'user_space';
  /** Why this mechanism. */
  readonly reason: string;
  readonly entries: number;
  /** Listed addresses and networks that the kernel has no room for. */
  readonly leftOut: number;
  /** Services that only user space guards, each with the reason. */
  readonly exceptions: readonly string[];
}

export interface KernelBans {
  readonly listed: (change: ListedChange) => void;
  /** Enforces on exactly these services. The caller calls it after every change of rules or listeners. */
  readonly guard: (guarded: readonly Guarded[]) => void;
  readonly state: () => KernelBansState;
  /** Accounts for the last refusals. The listeners are closed. */
  readonly close: () => Promise<void>;
}

export interface KernelBansOptions {
  readonly mode: KernelBansMode;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  readonly record: Recorder;
  /** Counts connections that a decision of the threat feed refused, for its usage metrics. Empty: of many addresses. */
  readonly account: (ip: string, count: number) => void;
  readonly fault: (message: string) => void;
}

class Enforced implements KernelBans {
  readonly #mechanism: Mechanism;
  readonly #reason: string;
  readonly #options: KernelBansOptions;
  readonly #members: Readonly<Record<ListName, Members>> = { ban: new Members(), threatfeed: new Members() };
  /** Each service keeps its number, because its last counts are read after it has changed. */
  readonly #numbers = new Map<string, number>();
  readonly #served: Served[] = [];
  /** By listener, with the rules that it was made of. */
  #guarded = new Map<Guarded['listener'], { readonly rules: Served['rules']; readonly listener: GuardedListener }>();
  readonly #timer: NodeJS.Timeout;
  #exceptions: readonly string[] = [];

  constructor({ mechanism, reason }: Extract<Choice, { mechanism: Mechanism }>, options: KernelBansOptions) {
    this.#mechanism = mechanism;
    this.#reason = reason;
    this.#options = options;
    this.#timer = setInterval(() => void this.#read(), daemonBounds.kernelBanCountMs).unref();
  }

  listed = ({ source, prefix, until }: ListedChange): void => {
    const members = this.#members[source];
    const leftMs = until - this.#options.now();
    if (leftMs > 0) members.put(prefix, this.#mechanism.add(source, prefix, leftMs, members.has(prefix)));
    else if (members.delete(prefix)) this.#mechanism.remove(source, prefix);
  };

  #numberOf(service: string): number | undefined {
    const known = this.#numbers.get(service);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (number === daemonBounds.kernelBanServices) return undefined;
    this.#numbers.set(service, number);
    return number;
  }

  guard = (guarded: readonly Guarded[]): void => {
    const own = ownAddresses();
    const before = this.#guarded;
    this.#guarded = new Map();
    const released: number[] = [];
    const exceptions: string[] = [];
    for (const { served, listener } of guarded) {
      const known = before.get(listener);
      const rules = known?.rules === served.rules ? known.listener : this.#rulesOf({ served, listener }, own);
      if (typeof rules !== 'string') this.#guarded.set(listener, { rules: served.rules, listener: rules });
      else {
        exceptions.push(`${served.service.name}: ${rules}`);
        if (listener.descriptor !== undefined) released.push(listener.descriptor);
      }
    }
    const listeners = [...this.#guarded.values()].map(({ listener }) => listener);
    for (const [number, failure] of this.#mechanism.guard(listeners, released))
      exceptions.push(`${this.#served[number]?.service.name}: ${failure}`);
    this.#exceptions = exceptions;
  };

  #rulesOf({ served, listener }: Guarded, own: readonly string[]): GuardedListener | string {
    const number = this.#numberOf(served.service.name);
    if (number === undefined) return 'there are too many services';
    this.#served[number] = served;
    const rules = kernelRules(served, own);
    return typeof rules === 'string' ? rules : { number, ...listener, ...rules };
  }

  async #read(): Promise<void> {
    try {
      for (const refused of await this.#mechanism.read()) this.#account(refused);
    } catch (error) {
      this.#options.fault(`cannot read the counts of bans in the kernel: ${(error as Error).message}`);
    }
  }

  #account({ listener, reason, client, count }: Refused): void {
    const served = this.#served[listener];
    if (!served) return;
    const ip = client ? formatPrefix(client) : '';
    served.counts.blocked += count;
    this.#options.record(served.service, { ip, port: 0 }, 'blocked', reason, count > 1 ? { count } : {});
    if (reason === 'threatfeed') this.#options.account(ip, count);
  }

  state = (): KernelBansState => {
    const sum = (field: 'entries' | 'leftOut') =>
      listNames.reduce((total, name) => total + this.#members[name][field], 0);
    const failure = this.#mechanism.failure();
    return {
      mechanism: failure === undefined ? this.#mechanism.name : 'user_space',
      reason: failure ?? this.#reason,
      entries: sum('entries'),
      leftOut: sum('leftOut'),
      exceptions: this.#exceptions,
    };
  };

  close = async (): Promise<void> => {
    clearInterval(this.#timer);
    for (const refused of await this.#mechanism.close()) this.#account(refused);
  };
}

const inUserSpace = (reason: string): KernelBans => ({
  listed: () => {},
  guard: () => {},
  state: () => ({ mechanism: 'user_space', reason, entries: 0, leftOut: 0, exceptions: [] }),
  close: async () => {},
});

/** The state of several processes that enforce the same lists. */
export function stateOf(states: readonly KernelBansState[]): KernelBansState {
  const [first] = states;
  if (!first) return inUserSpace('no worker has reported yet').state();
  const most = (field: 'entries' | 'leftOut') => Math.max(...states.map((state) => state[field]));
  return {
    ...(states.find(({ mechanism }) => mechanism === 'user_space') ?? first),
    entries: most('entries'),
    leftOut: most('leftOut'),
    exceptions: [...new Set(states.flatMap(({ exceptions }) => exceptions))],
  };
}

/** A mechanism that is configured by name and missing is a problem. `auto` uses what there is. */
export const kernelBansProblem = (mode: KernelBansMode, { mechanism, reason }: KernelBansState): string | undefined =>
  (mode === 'bpf' || mode === 'nft') && mechanism === 'user_space'
    ? `bans.kernel is ${mode}, and only the daemon refuses connections: ${reason}`
    : undefined;

export function createKernelBans(options: KernelBansOptions): KernelBans {
  const choice = choose(options.mode, options.fault);
  const kernelBans = 'mechanism' in choice ? new Enforced(choice, options) : inUserSpace(choice.reason);
  const problem = kernelBansProblem(options.mode, kernelBans.state());
  if (problem !== undefined) options.fault(problem);
  return kernelBans;
}
