/** Generates the JSON Schemas of the files that users write. The loader checks more. */
import { Suite } from '../cases/schema.ts';
import { daemonSchema } from '../daemon/schema.ts';
import { type ModeRow, modes } from '../policy/modes.ts';
import { requiredKeys } from '../policy/response.ts';
import { Policy } from '../policy/schema.ts';
import { type JsonSchema, jsonSchema } from '../schema/json-schema.ts';

const schemaForMode = (mode: string, then: JsonSchema): JsonSchema => ({
  if: { properties: { mode: { const: mode } }, required: ['mode'] },
  then,
});

function modeRules(): JsonSchema[] {
  const rows: [string, ModeRow][] = Object.entries(modes);
  const statuses = rows.flatMap(([mode, { statusCodes }]) =>
    statusCodes ? [schemaForMode(mode, { properties: { statusCode: { enum: [...statusCodes] } } })] : [],
  );
  const needs = Object.entries(requiredKeys).map(([mode, key]) => schemaForMode(mode, { required: [key] }));
  return [...statuses, ...needs];
}

export const dialect = 'https://json-schema.org/draft/2020-12/schema';

export function daemonJsonSchema(): JsonSchema {
  const description = 'Configuration of tcp-guard, the layer-4 guard.';
  return { $schema: dialect, title: 'tcp-guard.yaml', description, ...jsonSchema(daemonSchema()) };
}

export function suiteJsonSchema(): JsonSchema {
  const description = 'Cases for guardcli test --suite: requests to a policy and their expected results.';
  return { $schema: dialect, title: 'cases.yaml', description, ...jsonSchema(Suite) };
}

export function policyJsonSchema(): JsonSchema {
  const { properties = {}, ...schema } = jsonSchema(Policy);
  const tcp = { ...(properties.tcp as JsonSchema), $ref: '#/$defs/tcp' };
  const ofModes = (schema: unknown): JsonSchema => ({ ...(schema as JsonSchema), allOf: modeRules() });
  const response = ofModes(properties.response);
  const list = properties.banList as JsonSchema;
  const banList = { ...list, properties: { ...list.properties, response: ofModes(list.properties?.response) } };
  return {
    $schema: dialect,
    title: 'guard.json',
    description: 'A policy of the Request Guard Suite: what is inspected, what blocks, and how a block is answered.',
    ...schema,
    properties: { ...properties, banList, response, tcp },
    $defs: { tcp: jsonSchema(daemonSchema()) },
  };
}
