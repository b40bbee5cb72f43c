/** Reads the successful requests in the last line of `guardcli replay --json`. */

import { reportBounds } from '../counting/bounds.ts';
import { byInterest } from '../replay/answered.ts';
import type { AnsweredList, AnsweredRow } from '../replay/result.ts';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= reportBounds.lineBytes;

const isRow = (row: unknown): row is AnsweredRow =>
  isObject(row) &&
  [row.method, row.path, row.address].every(isText) &&
  (row.host === null || isText(row.host)) &&
  [row.clients, row.count, row.others].every(isCount);

/**
 * Reads the list from a line. Returns undefined for a line without a list, `malformed` for a list with wrong members.
 */
export function readAnswered({ answered }: Members): AnsweredList | 'malformed' | undefined {
  if (!isObject(answered)) return undefined;
  const { rows, total, exact } = answered;
  if (!Array.isArray(rows) || !rows.every(isRow) || !isCount(total) || typeof exact !== 'boolean') return 'malformed';
  return { rows, total: total as number, exact };
}

/** Joins the lists of two replays. A request in both lists has two rows. */
export const joinAnswered = (one: AnsweredList | null, other: AnsweredList): AnsweredList => ({
  rows: [...(one?.rows ?? []), ...other.rows].sort(byInterest).slice(0, reportBounds.rows),
  total: (one?.total ?? 0) + other.total,
  exact: (one?.exact ?? true) && other.exact,
});
