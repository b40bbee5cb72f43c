import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFields } from '../schema/problem.ts';
import { policyTables } from './docs.ts';
import { daemonJsonSchema, policyJsonSchema } from './schemas.ts';

function properties(schema: unknown, path = ''): [string, Record<string, unknown>][] {
  if (!isFields(schema)) return [];
  const own = Object.entries(isFields(schema.properties) ? schema.properties : {}) as [
    string,
    Record<string, unknown>,
  ][];
  const inner = own.flatMap(([key, property]) => [
    [`${path}.${key}`, property] as const,
    ...properties(property, `${path}.${key}`),
  ]);
  const { items, additionalProperties } = schema;
  return [...inner, ...properties(items, `${path}[]`), ...properties(additionalProperties, `${path}.*`)].map(
    ([key, property]) => [key, property],
  );
}

for (const [name, schema] of [
  ['the policy', policyJsonSchema()],
  ['the daemon file', daemonJsonSchema()],
] as const)
  describe(`the JSON Schema of ${name}`, () => {
    it('is of draft 2020-12 and strict', () => {
      assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
      assert.equal(schema.additionalProperties, false);
    });

    it('requires nothing: every key has a default or may be absent', () => assert.equal(schema.required, undefined));

    it('describes every key in a sentence', () => {
      const bare = properties(schema).filter(([, { description }]) => !/^[^\n]+\.$/.test(String(description)));
      assert.deepEqual(
        bare.map(([path]) => path),
        [],
      );
    });

    it('has no word that is not of JSON Schema', () => {
      assert.deepEqual(
        properties(schema).filter(([, property]) => 'bounds' in property),
        [],
      );
    });
  });

it('holds the daemon part of a policy to the schema of the daemon file', () => {
  const { properties: keys, $defs } = policyJsonSchema();
  const tcp = keys?.tcp as { $ref?: string } | undefined;
  assert.equal(tcp?.$ref, '#/$defs/tcp');
  const { $schema, title, description, ...daemon } = daemonJsonSchema();
  assert.deepEqual($defs?.tcp, daemon);
});

it('describes modes that need a key or take few statuses', () => {
  const { properties: keys = {} } = policyJsonSchema();
  const { allOf } = keys.response as { allOf: { if: unknown; then: unknown }[] };
  const rules = allOf.map(({ if: condition, then }) => JSON.stringify([condition, then]));
  assert.equal(rules.length, 3);
  assert.ok(rules.some((rule) => rule.includes('"redirect"') && rule.includes('[301,302,303,307,308]')));
  assert.ok(rules.some((rule) => rule.includes('"proxy"') && rule.includes('"proxyUrl"')));
});

it('has the bounds and defaults of the contract in the tables', () => {
  const row = policyTables['response-keys']()
    .split('\n')
    .find((line) => line.includes('`gzipBombMb`'));
  assert.equal(row, '| `gzipBombMb` | integer | `10` | 1 to 1024 | Decompressed size of gzip_bomb, MiB. |');
});
