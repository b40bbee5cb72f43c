/** What a schema knows of its keys, for messages and suggestions. */
import * as z from 'zod/mini';
import type { Path } from '../schema/problem.ts';
import { isSameWord } from '../values/nearest.ts';

/** What there is to know of a schema without its type: zod's own description of it. */
interface Definition {
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly checks?: readonly { readonly _zod: { readonly def: Comparison } }[];
}

/** A bound of a number, among other checks. */
interface Comparison {
  readonly check: string;
  readonly value?: unknown;
}

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as unknown as Definition;

/** A schema without what makes it optional. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = definitionOf(schema);
  return innerType ? unwrapped(innerType) : schema;
}

const shapeOf = (schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> =>
  definitionOf(unwrapped(schema)).shape ?? {};

function child(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const { element, valueType } = definitionOf(unwrapped(schema));
  if (typeof step === 'number') return element;
  const shape = shapeOf(schema);
  return Object.hasOwn(shape, step) ? shape[step] : valueType;
}

/** The schema of the value at `path` as the key has it; undefined where none is known. */
function keyAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  let current: z.core.$ZodType | undefined = schema;
  for (const step of path) current = current && child(current, step);
  return current;
}

/** The same, without what makes it optional. */
function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  const found = keyAt(schema, path);
  return found && unwrapped(found);
}

/** What the key at `path` means; undefined where the schema says nothing of it. */
export function descriptionAt(schema: z.core.$ZodType, path: Path): string | undefined {
  const found = keyAt(schema, path);
  return found && z.globalRegistry.get(found)?.description;
}

/** The value that an absent key at `path` has; undefined where it has none. */
export function defaultAt(schema: z.core.$ZodType, path: Path): unknown {
  const found = keyAt(schema, path);
  return found && z.safeParse(found, undefined).data;
}

/** The bounds of the number at `path`, in words. */
export function rangeAt(schema: z.core.$ZodType, path: Path): string {
  const found = schemaAt(schema, path);
  const checks = (found && definitionOf(found).checks) ?? [];
  const bound = (name: string) => checks.find(({ _zod: { def } }) => def.check === name)?._zod.def.value;
  return `${bound('greater_than')} to ${bound('less_than')}`;
}

/** The keys of the mapping at `path`; none where the schema has no mapping of known keys. */
export function keysAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  const found = schemaAt(schema, path);
  return found ? Object.keys(shapeOf(found)) : [];
}

/** Where a key of this name belongs, as dotted paths; entries of lists and of named mappings are not looked into. */
export function placesOf(schema: z.core.$ZodType, key: string, prefix = ''): readonly string[] {
  return Object.entries(shapeOf(schema)).flatMap(([name, inner]) => [
    ...(isSameWord(name, key) ? [prefix + name] : []),
    ...placesOf(inner, key, `${prefix}${name}.`),
  ]);
}
