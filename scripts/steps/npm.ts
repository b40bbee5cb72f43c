/** Environment in which npm uses this project's Node. */
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Scripts of packages run with this Node. Its local headers save node-gyp a download. */
export function npmEnvironment(): Record<string, string> {
  const home = dirname(dirname(process.execPath));
  const headers = existsSync(join(home, 'include/node/node.h')) ? { npm_config_nodedir: home } : {};
  return { ...headers, PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}` };
}
