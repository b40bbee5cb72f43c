/**
 * What Traefik's file provider does to values, in YAML and in TOML alike.
 *
 * Between reading a file and configuring a plugin it turns every value into text, and lists of texts into one text with
 * U+2551 before each entry. So a text that begins with U+2551 is taken for such a list, and an entry that contains it is
 * split. A list written as a table with the keys `[0]`, `[1]`, ... is never joined; nothing helps a text that begins with it.
 */
import { UsageError } from '../errors.ts';

const separator = '\u2551';

function checkBeginning(text: string, path: string): string {
  if (!text.startsWith(separator)) return text;
  throw new UsageError(`${path} begins with U+2551, which separates lists inside Traefik's file provider`, {
    code: 'not_expressible',
    hint: 'put another character before it, or use proxya-labels',
  });
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Indices in brackets that sort as the numbers do: Traefik orders them as text. */
export function indices(count: number): string[] {
  const width = String(count - 1).length;
  return Array.from({ length: count }, (_, index) => `[${String(index).padStart(width, '0')}]`);
}

function ofList(values: readonly unknown[], path: string): unknown {
  const entries = values.map((value, index) => forFile(value, `${path}[${index}]`));
  if (!values.some((value) => typeof value === 'string' && value.includes(separator))) return entries;
  const keys = indices(entries.length);
  return Object.fromEntries(entries.map((entry, index) => [keys[index] as string, entry]));
}

/**
 * `value` so that it survives the file provider.
 * @param path where it stands in the policy; empty: at the root
 * @throws UsageError for a text that cannot
 */
export function forFile(value: unknown, path = ''): unknown {
  if (typeof value === 'string') return checkBeginning(value, path);
  if (isList(value)) return ofList(value, path);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, entry]) => [key, forFile(entry, path === '' ? key : `${path}.${key}`)]));
}
