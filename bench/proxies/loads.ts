/**
 * Compares a bare and a guarded proxy under honest requests: paths, queries with and without escapes, and small bodies.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Row, rowsIn } from '../measure/row.ts';
import { type Budget, type Running, sideBySide } from './side-by-side.ts';

/** Returns a benign value of 32 characters, like those in forms. */
const value = (index: number): string => `value ${index} of an honest request.`.padEnd(32, 'x');
const values = (count: number): string[] => Array.from({ length: count }, (_, index) => value(index));

const json = JSON.stringify({ items: values(26) });
const form = values(14)
  .map((text, index) => `field${index}=${text.replaceAll(' ', '+')}`)
  .join('&');

interface Load {
  readonly name: string;
  readonly path: string;
  /** Whether each request has its number behind the path, so that no target comes twice in a run. */
  readonly isNumbered?: boolean;
  /** Media type and text of a body. Absent: a GET request. */
  readonly body?: readonly [type: string, text: string];
}

const loads = {
  path: { name: 'path', path: '/products/42' },
  date: { name: 'path with a date', path: '/blog/2024/post' },
  query: { name: 'query', path: '/search?q=hello&page=2&utm_source=news' },
  once: { name: 'query that comes once', path: '/search?q=hello&utm_source=news&page=', isNumbered: true },
  plus: { name: 'query with a plus', path: '/search?q=hello+world' },
  escapes: { name: 'query with escapes', path: '/search?q=hello%20world&next=%2Faccount' },
  json: { name: `${json.length} bytes of JSON`, path: '/orders', body: ['application/json', json] },
  form: {
    name: `${form.length} bytes of a form`,
    path: '/comments',
    body: ['application/x-www-form-urlencoded', form],
  },
} as const satisfies Readonly<Record<string, Load>>;

export type Budgets = Readonly<Record<keyof typeof loads, Budget>>;

/** For proxies with the engine in Go, compiled. */
export const goBudgets: Budgets = {
  ...{ path: 0.98, date: 0.98, query: 0.98, once: 0.98, plus: 0.98, escapes: 0.98 },
  ...{ json: 0.95, form: 0.95 },
};

function linesOf({ path, isNumbered, body }: Load): string[] {
  const numbered = `local n = 0\nfunction request() n = n + 1 return wrk.format(nil, "${path}" .. n) end`;
  if (!body) return isNumbered ? [numbered] : [];
  const [type, text] = body;
  return ['wrk.method = "POST"', `wrk.headers["Content-Type"] = "${type}"`, `wrk.body = [==[${text}]==]`];
}

function scriptOf(load: Load, file: string): { readonly script?: string } {
  const lines = linesOf(load);
  if (lines.length === 0) return {};
  writeFileSync(file, lines.join('\n'));
  return { script: file };
}

/** Measures each load. @param folder for the scripts of wrk */
export async function* rowsOfLoads(
  [host, bare, guarded]: readonly [host: string, bare: Running, guarded: Running],
  budgets: Budgets,
  folder: string,
): AsyncGenerator<Row> {
  for (const key of Object.keys(loads) as (keyof typeof loads)[]) {
    const load: Load = loads[key];
    const script = scriptOf(load, join(folder, `${key}.lua`));
    const of = (proxy: Running): Running => ({ ...proxy, url: new URL(load.path, proxy.url).href, ...script });
    const label = `${host}, ${load.name}`;
    yield* rowsIn(label, () => sideBySide(label, budgets[key], of(bare), of(guarded)));
  }
}
