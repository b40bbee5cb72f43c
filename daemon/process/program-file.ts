/** Files of programs that tcp-guard starts beside itself. */

/**
 * From the file of whoever starts it: source and compiled, where it has its own path beside `here`; bundled, where it has
 * `name` in dist/bin and `here` may be a chunk there.
 */
export function programFile(here: string, path: string, name: string): URL {
  const isBundled = /\/bin\/(?:chunks\/)?[^/]+$/.test(here);
  if (!isBundled) return new URL(`${path}${here.slice(here.lastIndexOf('.'))}`, here);
  return new URL(here.includes('/chunks/') ? `../${name}.js` : `./${name}.js`, here);
}
