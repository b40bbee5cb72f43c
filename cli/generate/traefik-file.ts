/**
 * What Traefik's file provider cannot carry, in YAML and in TOML alike.
 *
 * Between reading a file and configuring a plugin it turns every value into text, and lists of texts into one text with
 * U+2551 before each entry. So a text that begins with U+2551 is taken for such a list. Entries of our lists cannot hold it:
 * patterns, names and addresses are ASCII.
 */
import { UsageError } from '../../platform/errors.ts';

const separator = '\u2551';

/**
 * Passes on fields that the file provider can carry.
 * @param path where they stand in the policy; empty: at the root
 * @throws UsageError for a text that would become something else
 */
export function forFile<T>(value: T, path = ''): T {
  if (typeof value === 'string' && value.startsWith(separator))
    throw new UsageError(`${path} begins with U+2551, which separates lists inside Traefik's file provider`, {
      code: 'not_expressible',
      hint: 'put another character before it, or use proxya-labels',
    });
  if (typeof value === 'object' && value !== null)
    for (const [key, entry] of Object.entries(value)) forFile(entry, path === '' ? key : `${path}.${key}`);
  return value;
}
