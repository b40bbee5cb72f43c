/** Reads and validates the body of a request. */
import type { IncomingMessage } from 'node:http';
import type * as z from 'zod/mini';
import type { ObjectSchema } from '../../contract/api/operation.ts';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { loadFile } from '../../contract/load/check.ts';
import { readJson } from '../../contract/load/json.ts';
import type { Problem } from '../../contract/load/problem.ts';
import type { Subject } from '../../contract/load/text.ts';
import { ApiFailure } from './failure.ts';

const maxBytes = daemonBounds.apiBodyBytes;

/**
 * JSON must be UTF-8 (RFC 8259 8.1). Other types are refused: a web page can send some of them, such as `text/plain`,
 * without a CORS preflight.
 */
const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function checkType({ headers }: IncomingMessage): void {
  if (!jsonType.test(headers['content-type'] ?? '')) throw new ApiFailure('unsupported_media_type');
  if (headers['content-encoding'] !== undefined)
    throw new ApiFailure('unsupported_media_type', 'the body has a Content-Encoding');
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new ApiFailure('too_large', `the body has more than ${maxBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) reject(tooLarge());
    else chunks.push(chunk);
  });
  request.on('end', () => resolve(Buffer.concat(chunks)));
  request.on('error', () => reject(new ApiFailure('bad_request', 'the body ended early')));
  return promise;
}

function clauseOf({ path, message, hint }: Problem): string {
  return `${path ? `${path}: ` : ''}${message}${hint ? ` (${hint})` : ''}`;
}

const subject: Subject = {
  noun: 'body',
  asUtf8: 'send it as UTF-8',
  withoutMark: 'send it without one',
  whenEmpty: 'an object is expected',
  whenLong: 'is it the right one?',
};

/** The largest number of reported problems. A body has at most four keys. */
const reportedProblems = 5;

/** @throws ApiFailure unsupported_media_type, too_large, bad_request, bad_body or bad_address */
export async function readBody<S extends ObjectSchema>(request: IncomingMessage, schema: S): Promise<z.output<S>> {
  checkType(request);
  const bytes = await bytesOf(request);
  if (bytes.length === 0) throw new ApiFailure('bad_body', 'the body is missing');
  const loaded = loadFile(bytes, 'body', {
    schema,
    maxBytes,
    subject,
    read: (text) => readJson(text, subject.noun),
    schemaAt: (path) => ({ schema, path }),
    warnings: () => [],
  });
  if (loaded.ok) return loaded.value;
  const code = loaded.problems.every(({ kind }) => kind === 'bad_address') ? 'bad_address' : 'bad_body';
  throw new ApiFailure(code, loaded.problems.slice(0, reportedProblems).map(clauseOf).join('; '));
}
