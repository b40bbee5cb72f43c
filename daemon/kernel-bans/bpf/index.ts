/** Refuses connections with a filter on each listening socket. A filter ends with its socket. Needs CAP_BPF. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { option } from '../../process/libc/abi.ts';
import { callError, errno, type Libc } from '../../process/libc/libc.ts';
import { type GuardedListener, type ListName, listNames, type Mechanism } from '../mechanism.ts';
import { Counters, slotOf } from './counters.ts';
import { assembleFilter } from './filter.ts';
import { attachFilter, loadFilter } from './kernel.ts';
import { createFixedList, ListMap } from './list-map.ts';

const nanosecondsPerMs = 1_000_000;
/** The end of a permanent ban: the last time of the kernel's clock. */
const permanentEnd = 2n ** 64n - 1n;

const endOf = (leftMs: number): bigint =>
  leftMs === Number.POSITIVE_INFINITY
    ? permanentEnd
    : process.hrtime.bigint() + BigInt(Math.round(leftMs * nanosecondsPerMs));

class Filters {
  readonly #libc: Libc;
  readonly #lists: Readonly<Record<ListName, ListMap>>;
  readonly counters: Counters;

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#lists = {
      ban: new ListMap(libc, 'guard_bans', daemonBounds.kernelBanEntries),
      threatfeed: new ListMap(libc, 'guard_feed', daemonBounds.kernelBanEntries),
    };
    this.counters = new Counters(libc);
  }

  list(name: ListName): ListMap {
    return this.#lists[name];
  }

  /**
   * Loads the filter of a listener. Closes the descriptors of the listener's fixed lists: the kernel keeps the lists as
   * long as the filter.
   * @throws Error
   */
  load({ serviceNumber, isShared, lists, passed, denied }: Omit<GuardedListener, 'descriptor'>) {
    const [passes, denies] = [
      createFixedList(this.#libc, 'guard_passed', passed),
      createFixedList(this.#libc, 'guard_denied', denied),
    ];
    try {
      const code = assembleFilter({
        ...this.counters.descriptors,
        hasLease: isShared,
        passed: passes.fd,
        refused: lists.map((reason) => ({ reason, ...this.#lists[reason].descriptors })),
        denied: denies.fd,
        slotOf: (reason) => slotOf(serviceNumber, reason),
      });
      return loadFilter(this.#libc, 'tcp_guard', code);
    } finally {
      passes.close();
      denies.close();
    }
  }

  close(): void {
    for (const name of listNames) this.#lists[name].close();
    this.counters.close();
  }
}

const detach = (libc: Libc, descriptor: number): void => void libc.setOption(descriptor, option.detachFilter, 0);

/** Attaches the filter of a listener to its socket. Returns why that failed, or undefined. */
function attach(libc: Libc, filters: Filters, listener: GuardedListener): string | undefined {
  const { descriptor } = listener;
  if (descriptor === undefined) return 'another process owns its socket';
  try {
    const program = filters.load(listener);
    try {
      attachFilter(libc, descriptor, program);
    } finally {
      program.close(libc);
    }
    return undefined;
  } catch (error) {
    detach(libc, descriptor); // the socket may have an earlier filter, with lists that are no longer in force
    return (error as Error).message;
  }
}

/**
 * Errors of one change: there is no room for the entry, or the entry does not exist. Any other error means that the
 * kernel refuses all changes.
 */
const harmlessErrors: ReadonlySet<number> = new Set([-errno.E2BIG, -errno.ENOSPC, -errno.ENOMEM, -errno.ENOENT]);

/** @throws Error when the kernel refuses a map or the program */
export function startBpfMechanism(libc: Libc, failed: (why: string) => void): Mechanism {
  const filters = new Filters(libc);
  /** Listeners whose filters have the current rules. */
  let attached = new Set<GuardedListener>();
  filters.load({ serviceNumber: 0, isShared: true, lists: listNames, passed: [], denied: [] }).close(libc);
  /**
   * Returns whether a change succeeded. When the kernel refuses all changes, detaches every filter: an attached one
   * would enforce lifted bans.
   */
  const changed = (result: number): boolean => {
    if (result >= 0 || harmlessErrors.has(result)) return result >= 0;
    for (const { descriptor } of attached) if (descriptor !== undefined) detach(libc, descriptor);
    filters.close();
    failed(callError('bpf(BPF_MAP_UPDATE_ELEM)', result).message);
    return false;
  };
  return {
    add: (list, prefix, leftMs) => changed(filters.list(list).add(prefix, endOf(leftMs))),
    remove: (list, prefix) => void changed(filters.list(list).remove(prefix)),
    guard: (listeners, released) => {
      for (const descriptor of released) detach(libc, descriptor);
      const failures = new Map<number, string>();
      for (const listener of listeners) {
        const failure = attached.has(listener) ? undefined : attach(libc, filters, listener);
        if (failure !== undefined) failures.set(listener.serviceNumber, failure);
      }
      attached = new Set(listeners.filter(({ serviceNumber }) => !failures.has(serviceNumber)));
      return failures;
    },
    read: () => filters.counters.read(),
    close: () => {
      const last = [...filters.counters.read(), ...filters.counters.read()]; // each reading switches maps
      filters.close();
      return last;
    },
  };
}
