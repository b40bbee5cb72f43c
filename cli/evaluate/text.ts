import type { Limit } from '../../contract/policy/reasons.ts';
import type { BodyInspection, TracedCandidate, TracedException, TracedTarget } from '../../engine/index.ts';
import { printable, readable } from '../../platform/escape.ts';
import type { Paint, Style } from '../program/paint.ts';
import { type Row, table } from '../program/table.ts';
import { titleOf } from '../targets/find.ts';
import { limitText, overflowTexts } from './bounds.ts';
import { clientRows } from './client.ts';
import type { TestResult } from './result.ts';

/** Inspected values with the same name, such as the keys and the values of a query. */
interface Group {
  readonly name: string;
  readonly candidates: readonly TracedCandidate[];
  readonly limits: readonly Limit[];
}

function groupsOf(targets: readonly TracedTarget[]): Group[] {
  const byName = Map.groupBy(targets, ({ target }) => target);
  return [...byName].map(([name, list]) => ({
    name,
    candidates: list.flatMap(({ candidates }) => candidates),
    limits: list.flatMap(({ limit }) => limit ?? []),
  }));
}

function marksText({ blockedBy, excusedBy, excepted = [] }: TracedCandidate, paint: Paint): string {
  const marks = [
    ...excepted.map((id) => paint('yellow', `${printable(id)} excepted`)),
    ...(blockedBy === undefined ? [] : [paint('red', `${printable(blockedBy)} blocks`)]),
    ...(excusedBy === undefined ? [] : [paint('green', `${printable(excusedBy)} excuses`)]),
  ];
  return marks.length === 0 ? '' : `  <- ${marks.join(', ')}`;
}

function groupText({ name, candidates, limits }: Group, { target, candidate: hit }: TestResult, paint: Paint): string {
  const title = name === 'path' ? 'Candidate paths' : `Candidates of ${printable(name)}`;
  const lines = candidates.map((traced) => {
    const isHit = name === target && traced.candidate === hit;
    const text = printable(traced.candidate) || '(empty)';
    return `  ${isHit ? paint('red', text) : text}${marksText(traced, paint)}`;
  });
  const ends = limits.map((limit) => paint('yellow', `  stopped by a limit: ${limit}, ${limitText(limit, name)}`));
  return [`${title} (${candidates.length}):`, ...lines, ...ends].join('\n');
}

/** A longer pattern is cut: those of some rules have thousands of characters, and `explain` and --json print all of them. */
const longestPattern = 200;

const verdictColors = { blocked: 'red', refused: 'red', allowed: 'green' } as const satisfies Record<string, Style>;

const missTexts = {
  host: 'host does not match',
  client: 'client does not match',
  path: 'path does not match',
  limit: 'the path reached a limit',
} as const;

function exceptionRow({ name, missed, excused }: TracedException): Row {
  if (missed) return [name, missTexts[missed]];
  return [
    name,
    excused.length === 0 ? 'applies, none of its rules matches' : `excused ${excused.map(printable).join(', ')}`,
  ];
}

function bodyRow({ values, bytes, overflow }: BodyInspection): Row {
  const size = `${values} values with ${bytes} bytes inspected`;
  return ['body', overflow ? `${size}, not all: ${overflowTexts[overflow]}` : size];
}

function verdictText(result: TestResult, paint: Paint): string {
  const { verdict, status, responseMode, reason, mode, uninspected } = result;
  const how = verdict === 'allowed' ? '' : ` ${status ?? responseMode}`;
  const why = uninspected === undefined ? '' : paint('yellow', `, ${printable(uninspected)}`);
  const head = `${paint(['bold', verdictColors[verdict]], `${verdict.toUpperCase()}${how}`)}  ${reason}${why}`;
  const rows = (['target', 'candidate', 'rule', 'pattern'] as const).flatMap((key) => {
    const value = result[key];
    if (value === undefined) return [];
    const text = printable(value);
    const isCut = key === 'pattern' && text.length > longestPattern;
    return [[key, isCut ? `${text.slice(0, longestPattern)}...` : text] as const];
  });
  const { product } = result;
  const file = product ? [['product', `${product.product}: ${product.reveals} (${product.source})`] as const] : [];
  const detects = verdict === 'blocked' && mode === 'detect';
  const effect = detects ? [['mode', 'detect: the request would be reported and passed on'] as const] : [];
  const exceptions = (result.exceptions ?? []).map(exceptionRow);
  const body = result.body ? [bodyRow(result.body)] : [];
  return [head, ...table([...rows, ...file, ...body, ...effect, ...exceptions])].join('\n');
}

function contextText({ policy, proxy }: TestResult, paint: Paint): string {
  const source = policy === null ? 'the defaults' : readable(policy);
  const rows: [string, string][] = [['policy', source]];
  if (proxy)
    rows.push([
      titleOf(proxy.name),
      proxy.received === null ? 'refuses the request' : `receives ${printable(proxy.received)}`,
    ]);
  if (proxy?.backend) rows.push(['backend', `would receive ${printable(proxy.backend)}`]);
  return paint('dim', table(rows).join('\n'));
}

export function testText(result: TestResult, paint: Paint): string {
  const { request, expected } = result;
  const head = paint('bold', `${printable(request.method)} ${printable(request.target || '/')}`);
  const parts = [`${head}\n${contextText(result, paint)}`];
  if (result.client) parts.push(table(clientRows(result.client).map((row) => row.map(printable))).join('\n'));
  parts.push(...groupsOf(result.targets).map((group) => groupText(group, result, paint)));
  parts.push(verdictText(result, paint));
  if (expected) {
    const verdict = expected.met ? paint('green', 'as expected') : paint('red', `expected: ${expected.verdict}`);
    parts.push(verdict);
  }
  return parts.join('\n\n');
}
