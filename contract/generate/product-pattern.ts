/** Builds one pattern for many names of files. */
import { copySuffix } from '../policy/names/words.ts';
import type { RuleSize } from '../policy/rule-sizes.ts';

const withoutRoot = (name: string): string => name.replace(/^\^\//, '');

export const sortKey = (name: string): string => withoutRoot(name).toLowerCase();

/** Returns a path that contains the name, with an example for each placeholder. */
export function sampleOf(name: string): string {
  const text = withoutRoot(name).replace(/\*/g, 'main').replace(/#/g, '20');
  return `/${text}${text.endsWith('/') ? 'list' : ''}`;
}

/**
 * Regular expressions of the placeholders. A name becomes a sequence of units, each for one character or placeholder.
 */
const placeholders: Readonly<Record<string, string>> = { '*': '[^/]+', '#': '[0-9]+' };
const unitsOf = (name: string): string[] =>
  [...name.toLowerCase()].map((c) => placeholders[c] ?? c.replace(/[.+()[\]{}$^|?\\]/, '\\$&'));

type Units = readonly string[];

const commonLength = (one: Units, other: Units): number => {
  const end = one.findIndex((unit, at) => unit !== other[at]);
  return end < 0 ? one.length : end;
};

/** Returns an alternation of sorted sequences. Common beginnings are written once where that is shorter. */
function alternation(list: readonly Units[]): string {
  const branches: string[] = [];
  let rest = list;
  while (rest.length > 0) {
    const [first, ...others] = rest as [Units, ...Units[]];
    let best = { count: 1, length: 0, saved: 0 };
    let length = first.length;
    for (const [at, other] of others.entries()) {
      length = Math.min(length, commonLength(first, other));
      if (length === 0) break;
      const saved = length * (at + 1) - 5;
      if (saved > best.saved) best = { count: at + 2, length, saved };
    }
    const tails = rest.slice(0, best.count).map((units) => units.slice(best.length));
    const head = first.slice(0, best.length).join('');
    branches.push(best.count === 1 ? first.join('') : head + optionalTails(tails));
    rest = rest.slice(best.count);
  }
  return branches.join('|');
}

function optionalTails(tails: readonly Units[]): string {
  const filled = tails.filter((tail) => tail.length > 0);
  return `(?:${alternation(filled)})${filled.length < tails.length ? '?' : ''}`;
}

function alternationOf(names: readonly string[]): string {
  const list = [...new Set(names)].sort().map(unitsOf);
  return `(?:${alternation(list)})`;
}

/** Returns a pattern for a slash and one of the names. Names that begin with `^/` match only at the root. */
function pathPattern(names: readonly string[]): string {
  const rooted = names.filter((name) => name.startsWith('^')).map(withoutRoot);
  const anywhere = names.filter((name) => !name.startsWith('^'));
  const parts = [
    anywhere.length > 0 ? `/${alternationOf(anywhere)}` : '',
    rooted.length > 0 ? `^/${alternationOf(rooted)}` : '',
  ];
  const some = parts.filter((part) => part !== '');
  return some.length === 1 ? (some[0] as string) : `(?:${some.join('|')})`;
}

const hasPlaceholder = (name: string): boolean => /[*#]/.test(name);

/**
 * Returns a pattern for names. For size standard it also matches suffixes of copies, except after a placeholder, where
 * it would have too many states.
 */
export function patternOf(names: readonly string[], size: RuleSize): string {
  const folders = names.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
  const files = names.filter((name) => !name.endsWith('/'));
  const copied = size === 'standard' ? files.filter((name) => !hasPlaceholder(name)) : [];
  const others = files.filter((name) => !copied.includes(name));
  const parts = [
    copied.length > 0 ? `${pathPattern(copied)}(?:${copySuffix})?$` : '',
    others.length > 0 ? `${pathPattern(others)}$` : '',
    folders.length > 0 ? `${pathPattern(folders)}/` : '',
  ].filter((part) => part !== '');
  return `(?i)${parts.join('|')}`;
}
