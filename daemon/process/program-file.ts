/**
 * The URL of a program that tcp-guard starts. `here`: the file of the caller. In the sources and in dist/, the program
 * is at `path`, relative to `here` and with the same extension. In the bundle it is `name` in dist/bin, and `here` may
 * be a chunk below that folder.
 */
export function programUrl(here: string, path: string, name: string): URL {
  const isBundled = /\/bin\/(?:chunks\/)?[^/]+$/.test(here);
  if (!isBundled) return new URL(`${path}${here.slice(here.lastIndexOf('.'))}`, here);
  return new URL(here.includes('/chunks/') ? `../${name}.js` : `./${name}.js`, here);
}
