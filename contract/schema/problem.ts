/**
 * The kinds of problems in a file. TypeScript, Go and the shared vectors use the same kinds. Their names are stable.
 */
import type * as z from 'zod/mini';

export const problemKinds = [
  'syntax', // not JSON or YAML, not UTF-8, duplicate key
  'unknown_key',
  'missing_key',
  'wrong_type',
  'out_of_range', // a number, a length in bytes or a count of entries
  'bad_value', // not one of the choices, or not in the form that the key requires
  'bad_regex',
  'bad_address',
  'conflict', // keys or values that exclude each other
] as const;
export type ProblemKind = (typeof problemKinds)[number];

export type Path = readonly (string | number)[];

/** A finding of a schema check. The message is a clause such as `expected ...`. */
export interface Finding {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly path?: Path;
  /** Whether the key itself is wrong, independent of its value. */
  readonly isAboutKey?: boolean;
  /** The action that fixes the finding, such as `did you mean "env-file"?`. */
  readonly hint?: string | undefined;
}

export type Refinement = Pick<z.core.$RefinementCtx, 'addIssue'>;

/** Reports `finding` as a zod issue. The loader reads its `params`. */
export function report(ctx: Refinement, { message, path = [], ...params }: Finding): void {
  ctx.addIssue({ code: 'custom', message, path: [...path], params });
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns `value` if it is a list, otherwise an empty list. Cross-checks also run on values that another check refuses.
 */
export function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    const holder = value as Record<string | number, unknown> | null | undefined;
    value = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step) ? holder[step] : undefined;
  }
  return value;
}

/** Returns findings about several keys. Values can have a wrong type; another check reports that. */
export type CrossCheck = (fields: Fields) => Iterable<Finding>;
