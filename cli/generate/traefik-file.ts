/**
 * Checks for values that Traefik's file provider cannot represent, in YAML and in TOML.
 *
 * Between reading a file and configuring a plugin, the provider converts every value to text. It joins a list of texts
 * into one text with U+2551 before each entry. A text that begins with U+2551 would therefore become a list. Entries of
 * the guard's lists cannot contain it: patterns, names and addresses are ASCII.
 */
import { UsageError } from '../../platform/errors.ts';

const separator = '\u2551';

/**
 * Checks that the file provider can hold the fields, and returns them.
 * @param path path of the fields in the policy; empty: the root
 * @throws UsageError for a text that would be changed
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
