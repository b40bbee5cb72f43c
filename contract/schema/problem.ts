/** What can be wrong with a file of ours: the same kinds from TypeScript and Go, used by the shared vectors. Stable. */
import type * as z from 'zod/mini';

export const problemKinds = [
  'syntax', // not JSON or YAML, not UTF-8, duplicate key
  'unknown_key',
  'missing_key',
  'wrong_type',
  'out_of_range', // a number, a length in bytes or a count of entries
  'bad_value', // not one of the choices, or not in the form the key asks for
  'bad_regex',
  'bad_address',
  'conflict', // two keys that are mutually exclusive
] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** Keys and indexes from the root of a file to a value. */
export type Path = readonly (string | number)[];

/** What a check of a schema reports; the message is a clause such as `expected ...`. */
export interface Finding {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly path?: Path;
  /** The key at `path` is wrong, whatever its value. */
  readonly isAboutKey?: boolean;
  /** What to do, such as `did you mean "env-file"?`. */
  readonly hint?: string | undefined;
}

export type Refinement = Pick<z.core.$RefinementCtx, 'addIssue'>;

/** Reports `finding` as a zod issue; the loader reads its `params`. */
export function report(ctx: Refinement, { message, path = [], ...params }: Finding): void {
  ctx.addIssue({ code: 'custom', message, path: [...path], params });
}

/** A mapping of a file, of which nothing more is known. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value` when it is a list, else no entries: cross checks also see values that another check refuses. */
export function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value at `path`; undefined when there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    const holder = value as Record<string | number, unknown> | null | undefined;
    value = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step) ? holder[step] : undefined;
  }
  return value;
}

/** The findings about several keys together. Every value may be of a wrong type: that is another check's finding. */
export type CrossCheck = (fields: Fields) => Iterable<Finding>;
