/** Searches a text for many literals with a trie. Each position of the text starts a walk from the root of the trie. */
const asciiCharacters = 0x80;
/** Maximum number of states. A state has 6 bytes in each of two slots, so the trie takes at most 768 KiB. */
const maxStates = 65_535;

/** Finds the owners of the literals in a text. Literals and texts are ASCII. */
export interface Trie {
  /** Adds the literals of `owner`. When the capacity is exceeded, adds none of them and returns false. */
  readonly add: (owner: number, literals: readonly string[]) => boolean;
  /** Returns the owners of the literals in `text`, or undefined when there are none. */
  readonly ownersIn: (text: string) => Set<number> | undefined;
}

const totalLength = (literals: readonly string[]) => literals.reduce((sum, literal) => sum + literal.length, 0);

/** 2 ** 32 divided by the golden ratio: its multiples spread consecutive numbers over all slots. */
const spread = 0x9e37_79b1;

/** Creates a trie with capacity for literals of `characters` characters in total. */
export function createTrie(characters: number): Trie {
  const room = Math.min(characters + 1, maxStates);
  const bits = 32 - Math.clz32(2 * room); // more than half of the slots stay empty
  const [last, shift] = [2 ** bits - 1, 32 - bits];
  /** Transitions of the root, which begins each walk. 0 means that no transition exists. */
  const first = new Uint16Array(asciiCharacters);
  /** 1 for each two characters with which a literal begins: nearly all positions of a text need no other look-up. */
  const begins = new Uint8Array(asciiCharacters * asciiCharacters);
  /** Transitions of the other states: `state * asciiCharacters + character`, and in the same slot the next state. */
  const [keys, next] = [new Uint32Array(last + 1), new Uint16Array(last + 1)];
  const owners: (number[] | undefined)[] = [undefined];

  /** Returns the slot of a transition, or the free slot where it belongs. */
  function slotOf(key: number): number {
    let slot = Math.imul(key, spread) >>> shift;
    while (keys[slot] !== key && keys[slot] !== 0) slot = (slot + 1) & last;
    return slot;
  }

  function insert(literal: string, owner: number): void {
    const row = literal.charCodeAt(0) * asciiCharacters;
    if (literal.length === 1) begins.fill(1, row, row + asciiCharacters);
    else begins[row + literal.charCodeAt(1)] = 1;
    let state = 0;
    for (let at = 0; at < literal.length; at += 1) {
      const character = literal.charCodeAt(at);
      const key = state * asciiCharacters + character;
      const [table, slot] = state === 0 ? [first, character] : [next, slotOf(key)];
      if (table[slot] === 0) table[slot] = owners.push(undefined) - 1;
      if (state !== 0) keys[slot] = key;
      state = table[slot] as number;
    }
    owners[state] = (owners[state] ?? []).concat(owner); // a spread would reserve 16 elements
  }

  /** Adds the owners of the literals that begin at `start` to `found`. */
  function walk(text: string, start: number, found: Set<number> | undefined): Set<number> | undefined {
    let all = found;
    let state = first[text.charCodeAt(start)] as number;
    for (let at = start + 1; state !== 0; at += 1) {
      for (const owner of owners[state] ?? []) all = (all ?? new Set()).add(owner);
      if (at === text.length) break;
      state = next[slotOf(state * asciiCharacters + text.charCodeAt(at))] as number;
    }
    return all;
  }

  return {
    add: (owner, literals) => {
      if (owners.length + totalLength(literals) > room) return false;
      for (const literal of literals) insert(literal, owner);
      return true;
    },
    ownersIn: (text) => {
      let found: Set<number> | undefined;
      let character = text.charCodeAt(0);
      for (let start = 0; start < text.length; start += 1) {
        const behind = start + 1 < text.length ? text.charCodeAt(start + 1) : 0;
        if (begins[character * asciiCharacters + behind] === 1) found = walk(text, start, found);
        character = behind;
      }
      return found;
    },
  };
}
