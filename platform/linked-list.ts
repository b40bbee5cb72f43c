/** An entry of a list. The value is absent after its removal. */
export interface Entry<Value> {
  value: Value | undefined;
  previous: Entry<Value> | undefined;
  next: Entry<Value> | undefined;
}

/**
 * A set of short-lived objects in insertion order. A Map or a Set would retain removed objects: V8 keeps its old table
 * until a full collection.
 */
export class LinkedList<Value> implements Iterable<Value> {
  size = 0;
  #first: Entry<Value> | undefined;
  #last: Entry<Value> | undefined;

  get first(): Entry<Value> | undefined {
    return this.#first;
  }

  add(value: Value): Entry<Value> {
    const entry: Entry<Value> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.size += 1;
    return entry;
  }

  /** Removes an entry. Returns false when it was already removed. */
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
