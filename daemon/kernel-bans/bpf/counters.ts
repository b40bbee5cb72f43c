/**
 * Counts of dropped packets. The kernel adds to one of two maps and this process reads the other one, which no processor has used for
 * as long as the time between two readings: no count is lost while it is read.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Libc } from '../../process/libc/libc.ts';
import { type RefusalReason, type Refused, refusalReasons } from '../mechanism.ts';
import type { CountMaps } from './filter.ts';
import { BatchReader, KernelMap } from './kernel.ts';
import { keyBytes, readCountKey } from './key.ts';

const countBytes = 8;
const slots = daemonBounds.kernelBanServices * refusalReasons.length;

/** The number of a listener and a reason in the counts. */
export const slotOf = (listener: number, reason: RefusalReason): number =>
  listener * refusalReasons.length + refusalReasons.indexOf(reason);

const slotParts = (slot: number): Pick<Refused, 'listener' | 'reason'> => ({
  listener: Math.floor(slot / refusalReasons.length),
  reason: refusalReasons[slot % refusalReasons.length] as RefusalReason,
});

export class Counters {
  readonly #counts: readonly [KernelMap, KernelMap];
  readonly #active: KernelMap;
  readonly #uncounted: KernelMap;
  readonly #countReader: BatchReader;
  readonly #uncountedReader: BatchReader;
  readonly #before = new BigUint64Array(slots);

  /** @throws the error of bpf(2) */
  constructor(libc: Libc) {
    const shape = {
      name: 'guard_counts',
      kind: 'hash',
      keyBytes: keyBytes.count,
      valueBytes: countBytes,
      capacity: daemonBounds.kernelBanCounts,
    } as const;
    const array = { kind: 'array', keyBytes: 4 } as const;
    this.#counts = [new KernelMap(libc, shape), new KernelMap(libc, shape)];
    this.#active = new KernelMap(libc, { ...array, name: 'guard_active', valueBytes: 4, capacity: 1 });
    this.#uncounted = new KernelMap(libc, {
      ...array,
      name: 'guard_uncounted',
      valueBytes: countBytes,
      capacity: slots,
    });
    this.#countReader = new BatchReader(libc, this.#counts[0]);
    this.#uncountedReader = new BatchReader(libc, this.#uncounted);
  }

  get descriptors(): CountMaps {
    const [first, second] = this.#counts;
    return { counts: [first.fd, second.fd], active: this.#active.fd, uncounted: this.#uncounted.fd };
  }

  /** The counts of at least one reading ago. */
  read(): Refused[] {
    const active = this.#active.value.words;
    const idle = active[0] === 0 ? 1 : 0;
    const read = [...this.#take(this.#counts[idle]), ...this.#readUncounted()];
    active[0] = idle;
    this.#active.update();
    return read;
  }

  /** All counts, once no packet is dropped any more. */
  readLast(): Refused[] {
    return [...this.read(), ...this.read()];
  }

  *#take(map: KernelMap): Generator<Refused> {
    const { keys, values } = this.#countReader;
    const count = this.#countReader.read(map, true);
    for (let index = 0; index < count; index++) {
      const { prefix, slot } = readCountKey(keys, index * keyBytes.count);
      yield { ...slotParts(slot), client: prefix, count: Number(values.view.getBigUint64(index * countBytes, true)) };
    }
  }

  *#readUncounted(): Generator<Refused> {
    this.#uncountedReader.read(this.#uncounted, false);
    const now = new BigUint64Array(this.#uncountedReader.values.bytes.buffer);
    for (let slot = 0; slot < slots; slot++) {
      const count = Number((now[slot] as bigint) - (this.#before[slot] as bigint));
      if (count > 0) yield { ...slotParts(slot), client: undefined, count };
    }
    this.#before.set(now);
  }

  close(): void {
    for (const map of [...this.#counts, this.#active, this.#uncounted]) map.close();
  }
}
