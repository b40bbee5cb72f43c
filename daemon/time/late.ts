/** What is added to a Late. */
export interface Waiting {
  /** Its index in a list of the Late, which no other may use. */
  place: number;
}

/**
 * Reports the items that are still there some time after they were added. One timer serves all: most items are removed
 * before, and a timer of each would cost half a kilobyte, an entry of a Set a quarter of it.
 */
export class Late<Item extends Waiting> {
  readonly #ms: number;
  readonly #report: (item: Item) => void;
  /** Added since the last turn, and before it. */
  #fresh: Item[] = [];
  #older: Item[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Reports each item once, `ms` to `2 * ms` after it was added. */
  constructor(ms: number, report: (item: Item) => void) {
    this.#ms = ms;
    this.#report = report;
  }

  add(item: Item): void {
    item.place = this.#fresh.length;
    this.#fresh.push(item);
    this.#timer ??= setTimeout(this.#turn, this.#ms);
  }

  /** Without effect on an item that is not there. */
  delete(item: Item): void {
    const { place } = item;
    const list = this.#fresh[place] === item ? this.#fresh : this.#older;
    if (list[place] !== item) return;
    const last = list.pop();
    if (last === undefined || last === item) return;
    list[place] = last;
    last.place = place;
  }

  #turn = (): void => {
    const late = this.#older;
    this.#older = this.#fresh;
    this.#fresh = [];
    this.#timer = this.#older.length > 0 ? setTimeout(this.#turn, this.#ms) : undefined;
    for (const item of late) this.#report(item);
  };
}
