/** The JSON Schemas (draft 2020-12) of the two files, for editors and other tools. They say less than the loader checks. */
import * as z from 'zod';
import { daemonSchema } from '../daemon.ts';
import { type ModeRow, modes } from '../modes.ts';
import { Policy } from '../policy.ts';
import { neededKeys } from '../response.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema of ours as JSON Schema; what the form of a value is beyond JSON Schema's words stands under `bounds`. */
export function toJson(schema: z.ZodType, override: (json: JsonSchema) => void = () => {}): JsonSchema {
  const options = { io: 'input', unrepresentable: 'any' } as const;
  const { $schema, ...json } = z.toJSONSchema(schema, {
    ...options,
    override: ({ jsonSchema }) => override(jsonSchema),
  });
  return json;
}

/** Moves `bounds`, which is no word of JSON Schema, into the description. */
function describeBounds(schema: JsonSchema): void {
  const { bounds, description } = schema;
  if (typeof bounds !== 'string') return;
  delete schema.bounds;
  schema.description = `${description ?? ''} ${bounds}.`.trim();
}

const onlyIn = (mode: string, then: JsonSchema): JsonSchema => ({
  if: { properties: { mode: { const: mode } }, required: ['mode'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then,
});

/** What a response mode asks of other keys. */
function modeRules(): JsonSchema[] {
  const rows: [string, ModeRow][] = Object.entries(modes);
  const statuses = rows.flatMap(([mode, { statusCodes }]) =>
    statusCodes ? [onlyIn(mode, { properties: { statusCode: { enum: [...statusCodes] } } })] : [],
  );
  const needs = Object.entries(neededKeys).map(([mode, key]) => onlyIn(mode, { required: [key] }));
  return [...statuses, ...needs];
}

const dialect = 'https://json-schema.org/draft/2020-12/schema';

export function daemonJsonSchema(): JsonSchema {
  const description = 'Configuration of tcp-guard, the layer-4 guard.';
  return { $schema: dialect, title: 'tcp-guard.yaml', description, ...toJson(daemonSchema(), describeBounds) };
}

export function policyJsonSchema(): JsonSchema {
  const { properties = {}, ...schema } = toJson(Policy, describeBounds);
  const tcp = { ...(properties.tcp as JsonSchema), $ref: '#/$defs/tcp' };
  const response = { ...(properties.response as JsonSchema), allOf: modeRules() };
  return {
    $schema: dialect,
    title: 'guard.json',
    description: 'A policy of the Request Guard Suite: what is inspected, what blocks, and how a block is answered.',
    ...schema,
    properties: { ...properties, response, tcp },
    $defs: { tcp: toJson(daemonSchema(), describeBounds) },
  };
}
