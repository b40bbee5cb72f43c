/** Parses heads of HTTP/1 requests as strictly as RFC 9112 allows: an ambiguous head could smuggle a second request. */
import { strip } from '../../../engine/bytes.ts';
import type { Headers } from '../../../engine/index.ts';

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  /** The Host header in lower case, without a port. Empty when absent. */
  readonly host: string;
  readonly body: number | 'chunked';
}

export type HeadOutcome = RequestHead | { readonly fault: string };

const lineForm = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.([01])$/;
const nameForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const controlForm = /[\x00-\x08\x0a-\x1f\x7f]/;
const hostForm = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+,;=-]*)(?::\d*)?$/;
const lengthForm = /^\d{1,15}$/; // at most 15 digits, which a number represents exactly
const originForm = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/;

export const isRequestLine = (line: string): boolean => lineForm.test(line);

/** Parses a header line. Undefined when it is folded, has a space before its colon, or contains control bytes. */
export function parseHeader(line: string): readonly [name: string, value: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  if (!nameForm.test(name) || controlForm.test(line)) return undefined;
  return [name, strip(line.slice(colon + 1), ' \t')];
}

export const valuesOf = (headers: Headers, name: string): string[] =>
  headers.filter(([other]) => other.length === name.length && other.toLowerCase() === name).map(([, value]) => value);

/** The name or address in an authority, in lower case. */
export const hostOf = (authority: string): string => authority.replace(/:\d*$/, '').toLowerCase();

/** The length of the body, or the reason why it is ambiguous (RFC 9112 6). */
function bodyOf(headers: Headers, minor: string): number | 'chunked' | { readonly fault: string } {
  const [length, ...lengths] = valuesOf(headers, 'content-length');
  const [coding, ...codings] = valuesOf(headers, 'transfer-encoding');
  if (coding !== undefined && length !== undefined) return { fault: 'two_lengths' };
  if (coding !== undefined)
    return coding.toLowerCase() === 'chunked' && codings.length === 0 && minor === '1'
      ? 'chunked'
      : { fault: 'transfer_encoding' };
  if (length === undefined) return 0;
  return lengthForm.test(length) && lengths.length === 0 ? Number(length) : { fault: 'content_length' };
}

function parseHeaders(lines: readonly string[]): Headers | undefined {
  const headers = lines.map(parseHeader);
  return headers.every((header) => header !== undefined) ? headers : undefined;
}

export function parseHead([first = '', ...lines]: readonly string[]): HeadOutcome {
  const [, method, target, minor] = lineForm.exec(first) ?? [];
  if (method === undefined || target === undefined || minor === undefined) return { fault: 'request_line' };
  const headers = parseHeaders(lines);
  if (!headers) return { fault: 'header' };
  const [host, ...hosts] = valuesOf(headers, 'host');
  const isMissing = host === undefined && minor === '1';
  if (isMissing || hosts.length > 0 || !hostForm.test(host ?? '')) return { fault: 'host' };
  const body = bodyOf(headers, minor);
  if (typeof body === 'object') return body;
  return { method, target, headers, host: hostOf(host ?? ''), body };
}

/** The hosts that the request names: in its header, and maybe in its target. */
export function hostsOf({ method, target, host }: RequestHead): string[] {
  const authority = method === 'CONNECT' ? target : originForm.exec(target)?.[1];
  return authority === undefined ? [host] : [host, hostOf(authority)];
}
