/** Generates the JSON Schemas of the conformance data, and the tables of conformance/vectors/README.md. */

import { type JsonSchema, jsonSchema, toJson } from '../schema/json-schema.ts';
import { ExpectedProblem, ExpectedVerdict, VectorRequest, vectorFiles } from '../vectors/schema.ts';
import { keyTable, type Property, partOf } from './docs.ts';
import { dialect } from './schemas.ts';

export function vectorSchemas(): { file: string; schema: JsonSchema }[] {
  return Object.entries(vectorFiles).map(([kind, schema]) => ({
    file: `conformance/vectors/schemas/${kind}.schema.json`,
    schema: { $schema: dialect, title: `${kind}-*.json`, ...jsonSchema(schema) },
  }));
}

const caseOf = (kind: keyof typeof vectorFiles): Property =>
  partOf(toJson(vectorFiles[kind]) as Property, ['[]', 'tests', '[]']);

export const vectorTables = {
  'candidates-case': () => keyTable(caseOf('candidates')),
  'verdicts-case': () => keyTable(caseOf('verdicts')),
  request: () => keyTable(toJson(VectorRequest) as Property),
  verdict: () => keyTable(toJson(ExpectedVerdict) as Property),
  'upgrades-case': () => keyTable(caseOf('upgrades')),
  'regex-case': () => keyTable(caseOf('regex')),
  'policies-case': () => keyTable(caseOf('policies')),
  problem: () => keyTable(toJson(ExpectedProblem) as Property),
} as const;
