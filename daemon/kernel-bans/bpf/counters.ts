/**
 * Counts of dropped packets. The kernel adds to one of two maps, and this process reads the other one. The maps change
 * places after each reading. A processor may still add to a map shortly after that: it is read at the next reading.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Libc } from '../../process/libc/libc.ts';
import { type RefusalCount, type RefusalReason, refusalReasons } from '../mechanism.ts';
import { type CountMaps, stateValue } from './filter.ts';
import { BatchReader, KernelMap } from './kernel.ts';
import { keyBytes, readCountKey } from './key.ts';

const countBytes = 8;
const slotCount = daemonBounds.kernelBanServices * refusalReasons.length;

export const slotOf = (serviceNumber: number, reason: RefusalReason): number =>
  serviceNumber * refusalReasons.length + refusalReasons.indexOf(reason);

const slotParts = (slot: number): Pick<RefusalCount, 'serviceNumber' | 'reason'> => ({
  serviceNumber: Math.floor(slot / refusalReasons.length),
  reason: refusalReasons[slot % refusalReasons.length] as RefusalReason,
});

export class Counters {
  readonly #counts: readonly [KernelMap, KernelMap];
  readonly #state: KernelMap;
  #activeIndex = 0;
  readonly #uncountedMap: KernelMap;
  readonly #countReader: BatchReader;
  readonly #uncountedReader: BatchReader;
  readonly #earlierCounts = new BigUint64Array(slotCount);

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
    this.#state = new KernelMap(libc, { ...array, name: 'guard_state', valueBytes: stateValue.bytes, capacity: 1 });
    this.#uncountedMap = new KernelMap(libc, {
      ...array,
      name: 'guard_uncounted',
      valueBytes: countBytes,
      capacity: slotCount,
    });
    this.#countReader = new BatchReader(libc, this.#counts[0]);
    this.#uncountedReader = new BatchReader(libc, this.#uncountedMap);
    this.#writeState();
  }

  #writeState(): void {
    const { view } = this.#state.value;
    const leaseEnd = process.hrtime.bigint() + BigInt(daemonBounds.kernelBanLeaseMs) * 1_000_000n;
    view.setBigUint64(stateValue.leaseEnd, leaseEnd, true);
    view.setUint32(stateValue.active, this.#activeIndex, true);
    this.#state.update();
  }

  get descriptors(): CountMaps {
    const [first, second] = this.#counts;
    return { counts: [first.fd, second.fd], state: this.#state.fd, uncounted: this.#uncountedMap.fd };
  }

  /**
   * Returns the counts by address that were complete at the previous reading, and the new counts without an address.
   * Extends the lease of the filters.
   */
  read(): RefusalCount[] {
    const idle = 1 - this.#activeIndex;
    const read = [...this.#readCounts(this.#counts[idle] as KernelMap), ...this.#readUncounted()];
    this.#activeIndex = idle;
    this.#writeState();
    return read;
  }

  *#readCounts(map: KernelMap): Generator<RefusalCount> {
    const { keys, values } = this.#countReader;
    const count = this.#countReader.read(map, true);
    for (let index = 0; index < count; index++) {
      const { prefix, slot } = readCountKey(keys, index * keyBytes.count);
      yield { ...slotParts(slot), client: prefix, count: Number(values.view.getBigUint64(index * countBytes, true)) };
    }
  }

  *#readUncounted(): Generator<RefusalCount> {
    this.#uncountedReader.read(this.#uncountedMap, false);
    const now = new BigUint64Array(this.#uncountedReader.values.bytes.buffer);
    for (let slot = 0; slot < slotCount; slot++) {
      const count = Number((now[slot] as bigint) - (this.#earlierCounts[slot] as bigint));
      if (count > 0) yield { ...slotParts(slot), client: undefined, count };
    }
    this.#earlierCounts.set(now);
  }

  close(): void {
    for (const map of [...this.#counts, this.#state, this.#uncountedMap]) map.close();
  }
}
