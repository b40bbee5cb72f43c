/** The environment in which npm works for this project's own Node, whichever Node it came with. */
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Scripts of packages run under this very Node, and its headers beside it spare node-gyp a download. */
export function npmEnvironment(): Record<string, string> {
  const home = dirname(dirname(process.execPath));
  const headers = existsSync(join(home, 'include/node/node.h')) ? { npm_config_nodedir: home } : {};
  return { ...headers, PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}` };
}
