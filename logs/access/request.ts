/** A request of an access log, with its response. Texts have one byte per character (Latin-1). */

import { token } from '../../contract/values/token.ts';
import type { Headers } from '../../engine/index.ts';

export interface LoggedRequest {
  readonly method: string;
  readonly target: string;
  /** Absent when the line records no host. */
  readonly host?: string | undefined;
  readonly address?: string | undefined;
  /** The address of the TCP peer, where the line has it in a member that no client can write. */
  readonly peer?: string | undefined;
  /** Status of the response, 0 when unknown. */
  readonly status: number;
  readonly referrer?: string | undefined;
  readonly headers: Headers;
}

/**
 * `notRequest`: the client sent something else, such as a TLS handshake. Undefined: the line does not have this format.
 */
export type ParsedLine = LoggedRequest | 'notRequest' | undefined;

export const noHeaders: Headers = [];

export const isSuccess = (status: number): boolean => (status >= 200 && status < 300) || status === 304;

/** Returns undefined for an absent value, for which most servers write `-`. */
export const presentText = (text: string | undefined): string | undefined =>
  text === undefined || text === '-' || text === '' ? undefined : text;

/** Returns a Host header without its port. */
export const hostOf = (text: string | undefined): string | undefined => presentText(text)?.replace(/:\d*$/, '');

export interface RequestLine {
  readonly method: string;
  readonly target: string;
}

const protocolPattern = / HTTP\/\d(?:\.\d)?$/;

/**
 * Parses `METHOD target HTTP/1.1`. Targets may contain spaces: servers log such targets before they refuse them.
 * Returns undefined for the preface of HTTP/2, and for text that is not a request line.
 */
export function parseRequestLine(line: string): RequestLine | undefined {
  const space = line.indexOf(' ');
  const method = line.slice(0, space);
  if (space <= 0 || (method !== 'GET' && !token.test(method)) || method === 'PRI') return undefined;
  const isUsual = line.charCodeAt(line.length - 9) === 0x20 && line.startsWith('HTTP/', line.length - 8);
  const hasProtocol = isUsual || protocolPattern.test(line);
  const end = isUsual ? line.length - 9 : hasProtocol ? line.lastIndexOf(' ') : line.length;
  const target = line.slice(space + 1, end);
  const isTarget = target !== '' && (hasProtocol || target.startsWith('/'));
  return isTarget ? { method, target } : undefined;
}

const namedEscapes: Readonly<Record<string, string>> = {
  ...{ n: '\n', r: '\r', t: '\t', b: '\b', v: '\v', f: '\f', a: '\x07' },
};

/** Decodes the escapes of nginx (`\xHH`) and Apache (also `\"`, `\\` and those of C). */
export function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:x([0-9A-Fa-f]{2})|(.))/gs, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (namedEscapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
