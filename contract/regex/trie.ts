/** Searches a text for many literals with a trie. Each position of the text starts a walk from the root of the trie. */
const asciiCharacters = 0x80;
/** Maximum number of states. A state has 256 bytes, so the trie takes at most 16 MiB. */
const maxStates = 65_535;

/** Finds the owners of the literals in a text. Literals and texts are ASCII. */
export interface Trie {
  /** Adds the literals of `owner`. When the capacity is exceeded, adds none of them and returns false. */
  readonly add: (owner: number, literals: readonly string[]) => boolean;
  /** Returns the owners of the literals in `text`, or undefined when there are none. */
  readonly ownersIn: (text: string) => Set<number> | undefined;
}

const totalLength = (literals: readonly string[]) => literals.reduce((sum, literal) => sum + literal.length, 0);

/** Creates a trie with capacity for literals of `characters` characters in total. */
export function createTrie(characters: number): Trie {
  const room = Math.min(characters + 1, maxStates);
  /**
   * Transitions: the state after state `s` and character `c` is at `s * asciiCharacters + c`. The root, 0, means that
   * no transition exists.
   */
  const next = new Uint16Array(room * asciiCharacters);
  const owners: (number[] | undefined)[] = [undefined];

  function insert(literal: string, owner: number): void {
    let state = 0;
    for (let at = 0; at < literal.length; at += 1) {
      const slot = state * asciiCharacters + literal.charCodeAt(at);
      if (next[slot] === 0) next[slot] = owners.push(undefined) - 1;
      state = next[slot] as number;
    }
    owners[state] = [...(owners[state] ?? []), owner];
  }

  /** Adds the owners of the literals that begin at `start` to `found`. Most walks end after a few characters. */
  function walk(text: string, start: number, found: Set<number> | undefined): Set<number> | undefined {
    let all = found;
    let state = 0;
    for (let at = start; at < text.length; at += 1) {
      state = next[state * asciiCharacters + text.charCodeAt(at)] as number;
      if (state === 0) break;
      for (const owner of owners[state] ?? []) all = (all ?? new Set()).add(owner);
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
      for (let start = 0; start < text.length; start += 1) found = walk(text, start, found);
      return found;
    },
  };
}
