import assert from 'node:assert/strict';
import { auditLine, blockLine } from '../../cli/report/testing/examples.ts';
import { until } from '../../platform/testing/until.ts';
import type { Found, Query } from './loki-query.ts';

export const timeout = 600_000;
export const currentTime = () => new Date().toISOString();
export const newBlock = (changes: object = {}) => blockLine({ timestamp: currentTime(), ...changes });
export const newAudit = (changes: object = {}) => auditLine({ timestamp: currentTime(), ...changes });

export const allLines = '{app="request-guard"}';

export async function waitForLines(query: Query, selector: string, count: number): Promise<Found[]> {
  let lines: Found[] = [];
  await until(async () => {
    lines = await query.lines(selector);
    return lines.length >= count;
  }, `${count} lines of ${selector}`);
  assert.equal(lines.length, count);
  return lines;
}

export const waitForCount = (query: Query, selector: string, count: number) =>
  until(async () => (await query.count(selector)) >= count, `${count} lines of ${selector}`);
