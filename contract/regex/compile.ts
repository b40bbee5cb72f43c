/** Patterns of the grammar, compiled by RE2: linear in the text, whatever the pattern. */
import type RE2 from 're2';

let re2: typeof RE2 | undefined;

/** The native library does not load, for example because npm did not run its install script. */
export class LibraryError extends Error {}

/**
 * The native library, loaded at first use: most requests need no regular expression, and loading takes a fifth of a
 * start.
 */
function library(): typeof RE2 {
  try {
    re2 ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('re2') as typeof RE2;
    return re2;
  } catch (cause) {
    throw new LibraryError('the native module re2 does not load', { cause });
  }
}

/**
 * Compiles a pattern that `parseRegex` accepts; throws a SyntaxError on one that RE2 refuses. For printable ASCII
 * only.
 */
export function compileRegex(source: string): RegExp {
  const Library = library();
  // The binding rewrites JavaScript's named groups for RE2, and mistakes these three characters for one even in
  // `[(?<]`.
  return new Library(source.replaceAll('(?<', '(?\\<'), 'u');
}

/** Whether the pattern matches a text. Compiles it at the first call. */
export function testOf(pattern: string): (text: string) => boolean {
  let compiled: RegExp | undefined;
  return (text) => {
    compiled ??= compileRegex(pattern);
    return compiled.test(text);
  };
}
