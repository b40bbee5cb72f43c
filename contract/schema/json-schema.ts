import * as z from 'zod/mini';
import { isFields } from './problem.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Converts a schema. Constraints that JSON Schema cannot express are under `bounds`. */
export function toJson(schema: z.core.$ZodType): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return json;
}

function withBoundsInDescriptions(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withBoundsInDescriptions);
  if (!isFields(json)) return json;
  const { bounds, ...rest } = json;
  const entries = Object.entries(rest).map(([key, value]) => [key, withBoundsInDescriptions(value)]);
  const described = typeof bounds === 'string' ? { description: `${rest.description ?? ''} ${bounds}.`.trim() } : {};
  return { ...Object.fromEntries(entries), ...described };
}

export const jsonSchema = (schema: z.core.$ZodType): JsonSchema =>
  withBoundsInDescriptions(toJson(schema)) as JsonSchema;
