/** The request to allow, with one byte per character (Latin-1). */

import type { Policy } from '../../../contract/policy/schema.ts';
import type { GuardRequest } from '../../../engine/index.ts';
import { UsageError } from '../../../platform/errors.ts';
import { bytesOf } from '../../evaluate/request.ts';

const urlPattern = /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::\d*)?([^#]*)/i;

interface Parts {
  readonly target: string;
  readonly host?: string;
}

/** Splits a URL into host and target. Node's parser would clean the path. */
function partsOf(text: string): Parts {
  if (text.startsWith('/')) return { target: text };
  const [, host = '', rest = ''] = urlPattern.exec(text) ?? [];
  if (host === '') {
    const hint = "pass one such as '/download/.env' or https://shop.example.com/download/.env";
    throw new UsageError(`${JSON.stringify(text)} is not a URL or a path`, { code: 'bad_target', hint });
  }
  return { host: host.toLowerCase(), target: rest.startsWith('/') ? rest : `/${rest}` };
}

/**
 * Builds the request to allow.
 * @throws UsageError when the text is neither a target nor a URL, or names another host than `hostAndPort`
 */
export function requestFor(text: string, hostAndPort: string | undefined, { methods }: Policy): GuardRequest {
  const parts = partsOf(text);
  // Events name the host as the client sent it, with its port.
  const host = hostAndPort?.replace(/:\d*$/, '');
  if (host !== undefined && parts.host !== undefined && host.toLowerCase() !== parts.host) {
    throw new UsageError('the host is given twice', { code: 'conflict', hint: 'remove --host, or pass a path' });
  }
  const givenHost = host ?? parts.host;
  const isUsual = methods.some((method) => method === '*' || method.toUpperCase() === 'GET');
  return {
    method: isUsual ? 'GET' : (methods[0] ?? 'GET'),
    target: bytesOf(parts.target),
    headers: [],
    ...(givenHost !== undefined && { host: givenHost }),
  };
}
