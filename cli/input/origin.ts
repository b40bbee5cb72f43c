/** URLs of servers on command lines: only an origin, without a path, a query or a login. */
import { UsageError } from '../../platform/errors.ts';

/** Parses the origin of a server. @param name what the text is, such as `--upstream` @throws UsageError */
export function originFrom(name: string, text: string, { code, example }: { code: string; example: string }): URL {
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && [url.pathname, url.search, url.hash].join('') === '/';
  if (url && isOrigin && url.username === '' && url.password === '') return url;
  const hint = `pass only scheme, host and port, such as ${example}`;
  throw new UsageError(`${name} is ${JSON.stringify(text)}`, { code, hint });
}
