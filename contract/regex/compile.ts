/** Compiles patterns with RE2, which takes linear time for every pattern. */
import type RE2 from 're2';

let re2: typeof RE2 | undefined;

/** Thrown when the native library does not load, for example because npm did not run its install script. */
export class LibraryError extends Error {}

/** Loads the native library at first use: loading takes a fifth of the start time. */
function library(): typeof RE2 {
  try {
    re2 ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('re2') as typeof RE2;
    return re2;
  } catch (cause) {
    throw new LibraryError('the native module re2 does not load', { cause });
  }
}

/** Compiles a pattern that `parseRegex` accepts. @throws LibraryError, or SyntaxError when RE2 refuses the pattern */
export function compileRegex(source: string): RegExp {
  const Library = library();
  // The binding rewrites JavaScript's named groups. It takes these three characters for the start of a group even in a
  // class, as in `[(?<]`.
  return new Library(source.replaceAll('(?<', '(?\\<'), 'u');
}

/** Returns a function that tests a text. The pattern is compiled at the first call. */
export function testOf(pattern: string): (text: string) => boolean {
  let compiled: RegExp | undefined;
  return (text) => {
    compiled ??= compileRegex(pattern);
    return compiled.test(text);
  };
}
