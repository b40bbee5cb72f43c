/** An entry of a list. Without a value: it was removed. */
export interface Entry<Value> {
  value: Value | undefined;
  previous: Entry<Value> | undefined;
  next: Entry<Value> | undefined;
}

/**
 * A set of objects that come and go quickly, such as connections, in the order of their arrival. A Map or a Set would refer to
 * them longer: V8 replaces its table after some deletions, and what the old table refers to survives until the whole heap is
 * collected. An entry that was removed refers to nothing.
 */
export class LinkedList<Value> implements Iterable<Value> {
  size = 0;
  #first: Entry<Value> | undefined;
  #last: Entry<Value> | undefined;

  get first(): Entry<Value> | undefined {
    return this.#first;
  }

  /** Returns what `remove` takes. */
  add(value: Value): Entry<Value> {
    const entry: Entry<Value> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.size += 1;
    return entry;
  }

  /** False: the entry was removed before. */
  remove(entry: Entry<Value>): boolean {
    if (entry.value === undefined) return false;
    const { previous, next } = entry;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    entry.value = undefined;
    entry.previous = undefined;
    entry.next = undefined;
    this.size -= 1;
    return true;
  }

  *[Symbol.iterator](): Generator<Value> {
    for (let entry = this.#first; entry; entry = entry.next) yield entry.value as Value;
  }
}
