import * as z from 'zod/mini';
import { isFields } from './problem.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Keeps the default of a value that a transformation reads, which zod leaves out. */
function keepDefault({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }): void {
  const { def } = zodSchema._zod;
  if (def.type === 'default') jsonSchema.default ??= def.defaultValue;
}

/**
 * Converts a schema. Constraints that JSON Schema cannot express are under `bounds`; `short` names the key as whose text
 * an object may be written.
 */
export function toJson(schema: z.core.$ZodType): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: keepDefault });
  return json;
}

function withBoundsInDescriptions(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withBoundsInDescriptions);
  if (!isFields(json)) return json;
  const { bounds, short, ...rest } = json;
  const entries = Object.entries(rest).map(([key, value]) => [key, withBoundsInDescriptions(value)]);
  const described = typeof bounds === 'string' ? { description: `${rest.description ?? ''} ${bounds}.`.trim() } : {};
  const whole = { ...Object.fromEntries(entries), ...described };
  return typeof short === 'string' ? { anyOf: [whole.properties[short], whole] } : whole;
}

export const jsonSchema = (schema: z.core.$ZodType): JsonSchema =>
  withBoundsInDescriptions(toJson(schema)) as JsonSchema;
