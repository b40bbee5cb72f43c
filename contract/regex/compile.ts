/** Patterns of the grammar, compiled by RE2: linear in the text, whatever the pattern. */
import RE2 from 're2';

/**
 * Compiles a pattern that `parseRegex` accepts; throws a SyntaxError on one that RE2 refuses. To be tested on printable
 * ASCII only.
 */
export function compileRegex(source: string): RegExp {
  // The binding turns JavaScript's named groups into RE2's, and takes the three characters for one even in `[(?<]`.
  return new RE2(source.replaceAll('(?<', '(?\\<'), 'u');
}
