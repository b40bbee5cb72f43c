import { suiteBounds } from '../cases/bounds.ts';
import { Suite } from '../cases/schema.ts';
import { toJson } from '../schema/json-schema.ts';
import { keyTable, type Property, partOf } from './docs.ts';
import { table } from './markdown.ts';

const keys =
  (...path: readonly string[]) =>
  (): string =>
    keyTable(partOf(toJson(Suite) as Property, path));

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
  'suite-keys': keys(),
  'case-keys': keys('cases', '[]'),
  'request-keys': keys('cases', '[]', 'request'),
  'expect-keys': keys('cases', '[]', 'expect'),
  'suite-bounds': boundsTable,
} as const;
