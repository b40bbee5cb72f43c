/** How answers are written. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ApiFailure } from './failure.ts';

/** An answer as a whole. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that goes on. */
export interface StreamAnswer {
  readonly stream: (response: ServerResponse) => void;
}

/** On every answer: it is of now, it is what it says it is, and no page may use it as its own. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

export function json(value: unknown, status = 200): Answer {
  return { status, type: 'application/json', text: `${JSON.stringify(value)}\n` };
}

export function plain(text: string, type = 'text/plain; charset=utf-8'): Answer {
  return { status: 200, type, text };
}

export function failed(failure: ApiFailure): Answer {
  return { ...json(failure.body, failure.status), headers: failure.headers };
}

/** Writes a whole answer; to HEAD its headers. */
export function send(response: ServerResponse, { status, type, text, headers }: Answer): void {
  const all: OutgoingHttpHeaders = {
    ...commonHeaders,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  };
  response.writeHead(status, all).end(text);
}
