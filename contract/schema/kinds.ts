/**
 * The kinds of schema our files are made of, from zod/mini: it starts three times as fast as zod, and every start of the
 * CLI that has a policy pays for it. Each key has a description: help, JSON Schema and documentation show it.
 */
import * as z from 'zod/mini';

type Schema = z.ZodMiniType;

/** A key that has to be there. */
export function required<S extends Schema>(schema: S, description: string): S {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), description });
  return schema;
}

/** A key that may be absent; absence has a meaning. */
export function optional<S extends Schema>(schema: S, description: string): z.ZodMiniOptional<S> {
  return required(z.optional(schema), description);
}

/** A key with a default. */
export function defaulted<S extends Schema>(
  schema: S,
  fallback: z.core.util.NoUndefined<z.output<S>>,
  description: string,
): z.ZodMiniDefault<S> {
  return required(z._default(schema, fallback), description);
}

/** A key whose value is an object of which every key may be absent. */
export function nested<S extends Schema>(schema: S, description: string): z.ZodMiniPrefault<S> {
  return required(z.prefault(schema, {} as z.input<S>), description);
}

/** A whole number within bounds. */
export function integer(min: number, max: number) {
  return z.int().check(z.minimum(min), z.maximum(max));
}

const mostIssues = 10_000;

/**
 * Cuts the issues of a long list or mapping: zod passes those of a key on as arguments, of which some hundred thousand
 * exceed the stack.
 */
export const fewIssues = z.superRefine<unknown>(
  (_, { issues }) => {
    if (issues.length > mostIssues) issues.length = mostIssues;
  },
  { when: () => true },
);

/** A list with at most `max` entries, and at least `min`. */
export function list<S extends Schema>(entry: S, max: number, min = 0) {
  const schema = z.array(entry);
  const bounded = min > 0 ? schema.check(z.minLength(min), z.maxLength(max)) : schema.check(z.maxLength(max));
  return bounded.check(fewIssues);
}
