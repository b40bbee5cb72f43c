/** Builds the request from the flags of `test`. Strings hold one byte per character (latin1). */

import { readsBodies } from '../../contract/policy/exploits.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { parseAddress } from '../../contract/values/address.ts';
import { token } from '../../contract/values/token.ts';
import type { GuardRequest } from '../../engine/index.ts';
import { UsageError } from '../../platform/errors.ts';
import { defaultMethod, type TestOptions } from './options.ts';

type Inspected = Pick<Policy, 'checkQuery' | 'checkBody' | 'exploits'>;

export interface GivenRequest {
  readonly request: GuardRequest;
  /** Remarks about how the request was read, and what the policy does not inspect. */
  readonly notes: (policy: Inspected) => readonly string[];
}

/** Returns the UTF-8 bytes that a server receives. Node decodes arguments to text. */
export const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Node replaces invalid UTF-8 with this character, and the original bytes are lost. */
const replacementCharacter = '\ufffd';
const lossNote = 'an argument contains U+FFFD or bytes that are not UTF-8: pass such bytes with --path-base64';

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function decodeBase64(text: string): string {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  if (base64Pattern.test(standard)) return Buffer.from(standard, 'base64').toString('latin1');
  throw new UsageError('--path-base64 is not base64', {
    code: 'bad_base64',
    hint: "create it with: printf '/caf\\351' | base64",
  });
}

function targetOf({ path, pathBase64, query }: TestOptions): string {
  if (path !== undefined && pathBase64 !== undefined) {
    throw new UsageError('the path is given twice', { code: 'conflict', hint: 'remove one of the two' });
  }
  const target = (pathBase64 === undefined ? bytesOf(path ?? '') : decodeBase64(pathBase64)) || '/';
  if (query === undefined || query === '') return target;
  if (target.includes('?')) {
    const hint = 'pass the query with -q or after the ? of the path; write a ? in the path itself as %3F';
    throw new UsageError('the query is given twice', { code: 'conflict', hint });
  }
  return `${target}?${bytesOf(query)}`;
}

function methodOf({ method, m }: TestOptions): string {
  if (method !== undefined && m !== undefined) {
    throw new UsageError('the method is given twice', { code: 'conflict', hint: 'remove -m or -X' });
  }
  const name = method ?? m ?? defaultMethod;
  if (token.test(name)) return name;
  throw new UsageError(`"${name}" is not an HTTP method`, { code: 'bad_method', hint: 'pass one such as GET or POST' });
}

function headerOf(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  const name = text.slice(0, colon);
  if (colon >= 0 && token.test(name)) return [name, bytesOf(text.slice(colon + 1)).replace(/^[ \t]+|[ \t]+$/g, '')];
  throw new UsageError(`"${text}" is not a header`, {
    code: 'bad_header',
    hint: "write it as 'Name: value', for example -H 'X-Original-URL: /.env'",
  });
}

function addressOf({ ip: first, client }: TestOptions): string | undefined {
  if (first !== undefined && client !== undefined)
    throw new UsageError('the client is given twice', { code: 'conflict', hint: 'remove --ip or --client' });
  const ip = first ?? client;
  if (ip === undefined || ip === '' || parseAddress(ip)) return ip || undefined;
  throw new UsageError(`"${ip}" is not an address`, {
    code: 'bad_address',
    hint: 'pass one such as 192.0.2.7 or 2001:db8::1, without port, zone or leading zeros',
  });
}

type Header = readonly [string, string];

const headerValue = (headers: readonly Header[], wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

/** curl's default type of a body. */
const formType = 'application/x-www-form-urlencoded';

/**
 * Yields notes about unusual requests and uninspected parts. Without them, `allowed` would look like a verdict on the
 * whole request.
 */
function* notesOf(request: GuardRequest, hasType: boolean, policy: Inspected): Iterable<string> {
  if (!/^(?:\/|\*$|https?:\/\/)/i.test(request.target))
    yield 'the target does not begin with a slash: it is read with one as well';
  if (request.target.includes('?') && !policy.checkQuery) yield 'the query is not inspected: checkQuery is off';
  if (request.body === undefined) return;
  if (!readsBodies(policy)) yield 'the body is not inspected: checkBody is off';
  else if (!hasType) yield `the body is read as ${formType}: pass another type with -H 'Content-Type: ...'`;
}

/** Builds the request from the flags. @throws UsageError when they contradict each other or are invalid */
export function requestOf(options: TestOptions): GivenRequest {
  const { path = '', query = '', header = [] } = options;
  const body = options.body === undefined || options.body === '' ? undefined : options.body;
  const isLossy = [path, query, body ?? '', ...header].some((text) => text.includes(replacementCharacter));
  const givenHeaders = header.map(headerOf);
  const hasType = headerValue(givenHeaders, 'content-type') !== undefined;
  const headers: readonly Header[] =
    body === undefined || hasType ? givenHeaders : [...givenHeaders, ['Content-Type', formType]];
  const host = headerValue(headers, 'host');
  const address = addressOf(options);
  const request = {
    method: methodOf(options),
    target: targetOf(options),
    headers,
    ...(body !== undefined && { body: bytesOf(body) }),
    ...(address !== undefined && { ip: address }),
    ...(host !== undefined && { host }),
  };
  const notes = (policy: Inspected) => [...(isLossy ? [lossNote] : []), ...notesOf(request, hasType, policy)];
  return { request, notes };
}
