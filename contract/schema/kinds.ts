/**
 * The kinds of schema that the files consist of. They use zod/mini: it starts three times as fast as zod, and every
 * start of the CLI with a policy loads it. Descriptions are for help, JSON Schema and documentation.
 */
import * as z from 'zod/mini';

type Schema = z.ZodMiniType;

/** Describes a schema. `example` is a value that it accepts, which messages name when the key is missing. */
export function required<S extends Schema>(schema: S, description: string, example?: z.input<S>): S {
  const examples = example === undefined ? {} : { examples: [example] };
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), description, ...examples });
  return schema;
}

/** An optional key. Its absence has a meaning. */
export function optional<S extends Schema>(schema: S, description: string): z.ZodMiniOptional<S> {
  return required(z.optional(schema), description);
}

export function defaulted<S extends Schema>(
  schema: S,
  fallback: z.core.util.NoUndefined<z.output<S>>,
  description: string,
): z.ZodMiniDefault<S> {
  return required(z._default(schema, fallback), description);
}

/** A key whose value is an object with only optional keys. */
export function nested<S extends Schema>(schema: S, description: string): z.ZodMiniPrefault<S> {
  return required(z.prefault(schema, {} as z.input<S>), description);
}

/**
 * An object that may be written as the text of one of its keys. `short` names the key in the JSON form of the schema,
 * from which the tables of Go and Lua are generated.
 */
export function shortForm<S extends z.ZodMiniObject>(
  schema: S,
  key: keyof z.output<S> & string,
): z.ZodMiniType<z.output<S>, string | z.input<S>> {
  const whole = z.transform((value: unknown) => (typeof value === 'string' ? { [key]: value } : value));
  const either = z.pipe(whole, schema as unknown as z.ZodMiniType<z.output<S>, unknown>);
  z.globalRegistry.add(either, { short: key });
  return either as z.ZodMiniType<z.output<S>, string | z.input<S>>;
}

export function integer(min: number, max: number) {
  return z.int().check(z.minimum(min), z.maximum(max));
}

const mostIssues = 10_000;

/**
 * Cuts the issues of a long list. zod passes them as function arguments, and some hundred thousand exceed the stack.
 */
export const cutIssues = z.superRefine<unknown>(
  (_, { issues }) => {
    if (issues.length > mostIssues) issues.length = mostIssues;
  },
  { when: () => true },
);

export function list<S extends Schema>(entry: S, max: number, min = 0) {
  const schema = z.array(entry);
  const bounded = min > 0 ? schema.check(z.minLength(min), z.maxLength(max)) : schema.check(z.maxLength(max));
  return bounded.check(cutIssues);
}
