import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpResponse } from './response.ts';
import { unansweredBy } from './unanswered.ts';

type Headers = HttpResponse['headers'];

const response = (status: number, body: string, headers: Headers = []): HttpResponse => ({
  ...{ kind: 'response', status, headers, body, last: false },
});

const page = (title: string, server: string): string =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n` +
  `<hr><center>${server}</center>\r\n</body>\r\n</html>\r\n`;

const nginx: Headers = [
  ['server', 'nginx/1.22.1'],
  ['content-type', 'text/html'],
];

/** Responses of proxies whose upstream is absent, is too slow, or returns an error. */
const cases: readonly (readonly [string, HttpResponse, string | undefined])[] = [
  ['Caddy without an upstream', response(502, '', [['server', 'Caddy']]), 'Caddy'],
  ['Traefik without an upstream', response(502, 'Bad Gateway'), 'Traefik'],
  ['Traefik with an upstream that is too slow', response(504, 'Gateway Timeout'), 'Traefik'],
  ['nginx without an upstream', response(502, page('502 Bad Gateway', 'nginx/1.22.1'), nginx), 'nginx'],
  [
    'nginx with an upstream that is too slow',
    response(504, page('504 Gateway Time-out', 'nginx/1.22.1'), nginx),
    'nginx',
  ],
  ['an empty 502 of an upstream behind Caddy', response(502, '', [['via', '1.1 Caddy']]), undefined],
  [
    'a Caddy behind Caddy',
    response(502, '', [
      ['server', 'Caddy'],
      ['via', '1.1 Caddy'],
    ]),
    undefined,
  ],
  ['an empty 502 of an upstream behind Traefik', response(502, ''), undefined],
  ['a text of an upstream', response(502, 'Bad Gateway', [['content-type', 'text/plain']]), undefined],
  [
    'a rate limit of nginx',
    response(503, page('503 Service Temporarily Unavailable', 'nginx/1.22.1'), nginx),
    undefined,
  ],
  ['a page of an upstream behind nginx', response(502, '<h1>maintenance</h1>', nginx), undefined],
  ['an older nginx behind nginx', response(502, page('502 Bad Gateway', 'nginx/1.18.0'), nginx), undefined],
  ['a missing page', response(404, page('404 Not Found', 'nginx/1.22.1'), nginx), undefined],
  ['a failing application', response(500, ''), undefined],
];

for (const [name, reply, expected] of cases) test(name, () => assert.equal(unansweredBy(reply), expected));

test('a connection that ends is not a response of a gateway', () => {
  assert.equal(unansweredBy({ kind: 'closed' }), undefined);
});
