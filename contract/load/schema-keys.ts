/** The keys that a schema knows, for suggestions. */
import type * as z from 'zod';
import { isSameWord } from '../nearest.ts';
import type { Path } from '../problem.ts';

/** What there is to know of a schema without its type: zod's own description of it. */
interface Definition {
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

/** A schema without what makes it optional. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const { innerType } = definitionOf(schema);
  return innerType ? unwrapped(innerType) : schema;
}

const shapeOf = (schema: z.ZodType): Readonly<Record<string, z.ZodType>> => definitionOf(unwrapped(schema)).shape ?? {};

function child(schema: z.ZodType, step: string | number): z.ZodType | undefined {
  const { element, valueType } = definitionOf(unwrapped(schema));
  if (typeof step === 'number') return element;
  const shape = shapeOf(schema);
  return Object.hasOwn(shape, step) ? shape[step] : valueType;
}

/** The schema of the value at `path`, without what makes it optional; undefined where none is known. */
export function schemaAt(schema: z.ZodType, path: Path): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  for (const step of path) current = current && child(current, step);
  return current && unwrapped(current);
}

/** The keys of the mapping at `path`; none where the schema has no mapping of known keys. */
export function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  const found = schemaAt(schema, path);
  return found ? Object.keys(shapeOf(found)) : [];
}

/** Where a key of this name belongs, as dotted paths; entries of lists and of named mappings are not looked into. */
export function placesOf(schema: z.ZodType, key: string, prefix = ''): readonly string[] {
  return Object.entries(shapeOf(schema)).flatMap(([name, inner]) => [
    ...(isSameWord(name, key) ? [prefix + name] : []),
    ...placesOf(inner, key, `${prefix}${name}.`),
  ]);
}
