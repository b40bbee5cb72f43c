/** The number of bytes that each protocol need not inspect. A data plane can relay them without a copy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { inspectors } from './index.ts';
import type { Side } from './inspector.ts';
import { serviceOf } from './testing/vectors.ts';

type Steps = readonly (readonly [Side, string])[];

/** A conversation, and the number of following bytes of the last side that need no inspection. */
const cases: readonly (readonly [string, Protocol, Steps, number])[] = [
  ['a request body', 'http', [['client', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n12345']], 994],
  [
    'a chunk of a request',
    'http',
    [['client', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n12']],
    997,
  ],
  [
    'a response body',
    'http',
    [
      ['client', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['server', 'HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n'],
    ],
    4_999_999_999,
  ],
  [
    'a response up to the end of the connection',
    'http',
    [
      ['client', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['server', 'HTTP/1.1 200 OK\r\n\r\nx'],
    ],
    Number.POSITIVE_INFINITY,
  ],
  [
    'the end of a body, which ends the request',
    'http',
    [['client', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n']],
    0,
  ],
  [
    'mail after BDAT',
    'smtp',
    [
      ['server', '220 a\r\n'],
      ['client', 'EHLO a\r\n'],
      ['server', '250-a\r\n250 CHUNKING\r\n'],
      ['client', 'BDAT 86 LAST\r\nFrom'],
    ],
    81,
  ],
  [
    'mail after DATA, whose end is a line',
    'smtp',
    [
      ['server', '220 a\r\n'],
      ['client', 'EHLO a\r\n'],
      ['server', '250 a\r\n'],
      ['client', 'DATA\r\n'],
      ['server', '354 a\r\n'],
      ['client', 'From'],
    ],
    0,
  ],
  [
    'a message that the client appends',
    'imap',
    [
      ['server', '* OK a\r\n'],
      ['client', 'a1 APPEND x {310}\r\n'],
      ['server', '+ go\r\n'],
      ['client', 'From'],
    ],
    305,
  ],
  ['a message that the server sends', 'imap', [['server', '* OK a\r\n* 1 FETCH (BODY[] {1000}\r\nFrom']], 995],
  ['a value of a command', 'redis', [['client', '*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1000\r\nabc']], 999],
  ['a value of a reply', 'redis', [['server', '$1000\r\nabc']], 999],
  ['the side of the server', 'tls', [['server', '\x16\x03\x03']], Number.POSITIVE_INFINITY],
  ['the side of the client before its hello', 'tls', [['client', '\x16\x03\x01']], 0],
];

for (const [what, protocol, steps, expected] of cases)
  test(`${protocol}: ${expected} bytes pass unseen of ${what}`, () => {
    const session = inspectors[protocol].open({ service: serviceOf(protocol), client: '192.0.2.1', guard: undefined });
    for (const [side, text] of steps) {
      for (const { kind } of session.feed(side, Buffer.from(text, 'latin1'))) assert.equal(kind, 'fact');
    }
    assert.equal(session.unseen(steps.at(-1)?.[0] ?? 'client'), expected);
  });
