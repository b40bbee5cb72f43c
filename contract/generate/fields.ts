/** The keys of a policy as a flat table, for languages without zod. */
import { Policy } from '../policy/schema.ts';
import { toJson } from '../schema/json-schema.ts';
import { snakeCase } from '../values/keys.ts';
import type { Property } from './docs.ts';

export interface Field {
  /** Path in snake_case. `[]` is an entry of a list, `.*` a value of a mapping. */
  readonly key: string;
  readonly kind: 'boolean' | 'integer' | 'string' | 'array' | 'object';
  readonly required?: boolean;
  readonly fallback?: boolean | number | string | readonly string[];
  /** Minimum of a number, of the bytes of a text, or of the entries of a list. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly choices?: readonly string[] | undefined;
  /** A regular expression that matches the whole text. */
  readonly form?: string | undefined;
  /** The key of an object as whose text the object may be written. */
  readonly short?: string | undefined;
}

/** Keys that only files have. The proxies never receive them. */
export const fileOnlyKeys = new Set(['$schema', 'tcp']);

const isPlain = (value: unknown): value is NonNullable<Field['fallback']> =>
  Array.isArray(value) || ['boolean', 'number', 'string'].includes(typeof value);

function ownField(key: string, schema: Property, required: boolean): Field {
  return {
    key,
    kind: (schema.type ?? 'object') as Field['kind'],
    required,
    ...(isPlain(schema.default) && { fallback: schema.default }),
    min: schema.minimum ?? schema.minLength ?? schema.minItems,
    max: schema.maximum ?? schema.maxLength ?? schema.maxItems,
    choices: schema.enum as readonly string[] | undefined,
    form: schema.pattern,
    short: schema.short,
  };
}

function* flatten(key: string, schema: Property, required = false): Generator<Field> {
  yield ownField(key, schema, required);
  if (schema.items) yield* flatten(`${key}[]`, schema.items);
  if (schema.additionalProperties) yield* flatten(`${key}.*`, schema.additionalProperties as Property);
  yield* flattenProperties(schema, `${key}.`);
}

function* flattenProperties(schema: Property, prefix: string): Generator<Field> {
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (!fileOnlyKeys.has(name))
      yield* flatten(prefix + snakeCase(name), property, schema.required?.includes(name) ?? false);
}

/**
 * Returns the minimum length of a literal `secret`. The JSON Schema does not have it, because a reference may be
 * shorter.
 */
function shortestSecret(): number {
  let length = 1;
  while (!Policy.safeParse({ secret: 'x'.repeat(length) }).success) length += 1;
  return length;
}

/** Returns every key that a proxy accepts, outer keys before inner keys. */
export function policyFields(): Field[] {
  const schema = toJson(Policy) as Property;
  const fields = [...flattenProperties(schema, '')];
  return fields.map((field) => (field.key === 'secret' ? { ...field, min: shortestSecret() } : field));
}
