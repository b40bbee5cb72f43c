/** Files of the programs that tcp-guard starts. */

/**
 * Resolves the program from the file `here` of its caller. In the sources and in dist/ it is at `path`, relative to
 * `here`. In the bundle it is `name` in dist/bin, where `here` can be a chunk.
 */
export function programFile(here: string, path: string, name: string): URL {
  const isBundled = /\/bin\/(?:chunks\/)?[^/]+$/.test(here);
  if (!isBundled) return new URL(`${path}${here.slice(here.lastIndexOf('.'))}`, here);
  return new URL(here.includes('/chunks/') ? `../${name}.js` : `./${name}.js`, here);
}
