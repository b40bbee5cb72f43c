import { suiteBounds } from '../cases/bounds.ts';
import { Suite } from '../cases/schema.ts';
import { toJson } from '../schema/json-schema.ts';
import { keyTable, type Property } from './docs.ts';
import { table } from './markdown.ts';

/** `[]` is an entry of a list. */
function schemaAt(...path: readonly string[]): Property {
  let schema = toJson(Suite) as Property;
  for (const step of path) schema = (step === '[]' ? schema.items : schema.properties?.[step]) as Property;
  return schema;
}

function boundsTable(): string {
  const { cases, files, depth, policies, fileBytes } = suiteBounds;
  const rows = [
    ['cases, with tables expanded, once for each policy', cases],
    ['suite files', files],
    ['levels of includes', depth],
    ['policies', policies],
    ['bytes of one file', fileBytes],
  ] as const;
  return table(
    ['of one run', 'at most'],
    rows.map(([what, most]) => [what, String(most)]),
  );
}

export const suiteTables = {
  'suite-keys': () => keyTable(schemaAt()),
  'case-keys': () => keyTable(schemaAt('cases', '[]')),
  'request-keys': () => keyTable(schemaAt('cases', '[]', 'request')),
  'expect-keys': () => keyTable(schemaAt('cases', '[]', 'expect')),
  'suite-bounds': boundsTable,
} as const;
