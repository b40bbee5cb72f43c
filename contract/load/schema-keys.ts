import * as z from 'zod/mini';
import type { Path } from '../schema/problem.ts';
import { isSameWord } from '../values/nearest.ts';
import { synonymsOf } from '../values/synonyms.ts';

/** The untyped fields of a schema that describe it: zod's `def`. */
interface Definition {
  readonly innerType?: z.core.$ZodType;
  /** The schema behind a transformation. */
  readonly out?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly checks?: readonly { readonly _zod: { readonly def: Comparison } }[];
}

interface Comparison {
  readonly check: string;
  readonly value?: unknown;
}

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as unknown as Definition;

/** Removes the wrappers that make a schema optional. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, out } = definitionOf(schema);
  const inner = innerType ?? out;
  return inner ? unwrap(inner) : schema;
}

const shapeOf = (schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> =>
  definitionOf(unwrap(schema)).shape ?? {};

function childSchema(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const { element, valueType } = definitionOf(unwrap(schema));
  if (typeof step === 'number') return element;
  const shape = shapeOf(schema);
  return Object.hasOwn(shape, step) ? shape[step] : valueType;
}

/** Returns the schema of the value at `path`, with the wrappers that make it optional. */
function keyAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  let current: z.core.$ZodType | undefined = schema;
  for (const step of path) current = current && childSchema(current, step);
  return current;
}

/** Returns the schema of the value at `path`, without the wrappers that make it optional. */
function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  const found = keyAt(schema, path);
  return found && unwrap(found);
}

export function descriptionAt(schema: z.core.$ZodType, path: Path): string | undefined {
  const found = keyAt(schema, path);
  return found && z.globalRegistry.get(found)?.description;
}

/** Returns an accepted value of a key that must be there, or undefined. */
export function exampleAt(schema: z.core.$ZodType, path: Path): unknown {
  const found = keyAt(schema, path);
  return found && (z.globalRegistry.get(found)?.examples as readonly unknown[] | undefined)?.[0];
}

export function defaultAt(schema: z.core.$ZodType, path: Path): unknown {
  const found = keyAt(schema, path);
  return found && z.safeParse(found, undefined).data;
}

export function rangeAt(schema: z.core.$ZodType, path: Path): string {
  const found = schemaAt(schema, path);
  const checks = (found && definitionOf(found).checks) ?? [];
  const bound = (name: string) => checks.find(({ _zod: { def } }) => def.check === name)?._zod.def.value;
  return `${bound('greater_than')} to ${bound('less_than')}`;
}

/** Whether the schema accepts `value` at `path`. */
export function isValidAt(schema: z.core.$ZodType, path: Path, value: unknown): boolean {
  const found = keyAt(schema, path);
  return found !== undefined && z.safeParse(found, value).success;
}

/** Whether the value at `path` is one of some words. */
export const isChoiceAt = (schema: z.core.$ZodType, path: Path): boolean =>
  schemaAt(schema, path)?._zod.def.type === 'enum';

/** Returns the keys of the mapping at `path`. Returns none for a mapping with arbitrary keys. */
export function keysAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  const found = schemaAt(schema, path);
  return found ? Object.keys(shapeOf(found)) : [];
}

/**
 * Returns the dotted paths at which a key of this name, or one that replaces it, is valid. Skips entries of lists and of
 * mappings with arbitrary keys.
 */
export function placesOf(schema: z.core.$ZodType, key: string, prefix = ''): readonly string[] {
  const words = [key, ...synonymsOf(key)];
  return Object.entries(shapeOf(schema)).flatMap(([name, inner]) => [
    ...(words.some((word) => isSameWord(name, word)) ? [prefix + name] : []),
    ...placesOf(inner, key, `${prefix}${name}.`),
  ]);
}
