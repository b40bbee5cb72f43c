import type { Fields, Finding, Path } from '../schema/problem.ts';

interface OneOf {
  readonly keys: readonly string[];
  /** The key that an entry with none of them is reported for. */
  readonly usual: string;
  /** What an entry is called. */
  readonly noun: string;
}

const listed = (keys: readonly string[]): string => `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`;

/** Finds an entry that does not have exactly one of the keys. */
export function* oneOf(entry: Fields, path: Path, { keys, usual, noun }: OneOf): Generator<Finding> {
  const [first, ...others] = keys.filter((key) => entry[key] !== undefined);
  if (first === undefined)
    yield { kind: 'missing_key', message: `expected one of ${listed(keys)}`, path: [...path, usual] };
  for (const key of others)
    yield {
      kind: 'conflict',
      message: `${first} and ${key} are mutually exclusive`,
      path: [...path, key],
      isAboutKey: true,
      hint: `write a separate ${noun} for each of them`,
    };
}
