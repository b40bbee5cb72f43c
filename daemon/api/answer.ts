import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ApiFailure } from './failure.ts';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamAnswer {
  readonly stream: (response: ServerResponse) => void;
}

export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

export function jsonAnswer(value: unknown, status = 200): Answer {
  return { status, type: 'application/json', text: `${JSON.stringify(value)}\n` };
}

export function textAnswer(text: string, type = 'text/plain; charset=utf-8'): Answer {
  return { status: 200, type, text };
}

export function failureAnswer(failure: ApiFailure): Answer {
  return { ...jsonAnswer(failure.body, failure.status), headers: failure.headers };
}

/** Writes a complete response. Node omits the text for HEAD. */
export function sendAnswer(response: ServerResponse, { status, type, text, headers }: Answer): void {
  const all: OutgoingHttpHeaders = {
    ...commonHeaders,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  };
  response.writeHead(status, all).end(text);
}
