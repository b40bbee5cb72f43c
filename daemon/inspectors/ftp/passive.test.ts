/**
 * The bytes that a client gets when replies to PASV and EPSV are replaced. They do not depend on how the server's bytes
 * are split.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataEndpoint, DataPort, InspectorSession } from '../inspector.ts';
import { randomNumbers } from '../testing/random.ts';
import { cutPieces, type Piece, serviceOf } from '../testing/vectors.ts';
import { ftp } from './ftp.ts';

type Open = (announced: DataEndpoint) => DataPort;

const first: Open = () => ({ ok: true, host: '203.0.113.10', port: 40_005 });
const none: Open = () => ({ ok: false, why: 'no_free_port' });

function open(openDataPort: Open): InspectorSession {
  const service = serviceOf('ftp', { passive: { ports: '40000-40099' } });
  return ftp.open({ service, client: '192.0.2.1', guard: undefined, openDataPort });
}

/** All bytes of the server that the client gets. */
function relayed(pieces: Iterable<Piece>, openDataPort: Open): string {
  const session = open(openDataPort);
  let text = '';
  for (const { from, bytes } of pieces) {
    const events = session.isDone() ? [] : session.feed(from, bytes);
    const instead = events.find(({ kind }) => kind === 'instead');
    if (from === 'server') text += Buffer.from(instead?.kind === 'instead' ? instead.bytes : bytes).toString('latin1');
  }
  return text;
}

const steps = (...texts: readonly string[]): Piece[] =>
  texts.map((text, index) => ({ from: index % 2 === 0 ? 'client' : 'server', bytes: Buffer.from(text, 'latin1') }));

const runs = 20;
const seed = 1;

function assertRelayed(pieces: readonly Piece[], expected: string, openDataPort: Open): void {
  assert.equal(relayed(pieces, openDataPort), expected, 'whole');
  const bytewise = cutPieces(pieces, () => 1);
  assert.equal(relayed(bytewise, openDataPort), expected, 'byte by byte');
  const random = randomNumbers(seed);
  for (let run = 0; run < runs; run += 1) {
    const split = cutPieces(pieces, () => 1 + Math.floor(random() ** 2 * 40));
    assert.equal(relayed(split, openDataPort), expected, `random split ${run}`);
  }
}

const pasv = '227 Entering Passive Mode (203,0,113,10,156,69).\r\n';
const epsv = '229 Entering Extended Passive Mode (|||40005|)\r\n';
const refused = "425 Can't open data connection.\r\n";

const announced: DataEndpoint = { host: '10.0.0.5', port: 50_000 };
const portOnly: DataEndpoint = { host: undefined, port: 50_000 };

/** A command, the server's reply, and the endpoint that the reply announces. */
const spellings: readonly (readonly [string, string, DataEndpoint | undefined])[] = [
  ['PASV', '227 Entering Passive Mode (10,0,0,5,195,80).\r\n', announced],
  ['pasv', '227 Entering Passive Mode (10,0,0,5,195,80)\n', announced],
  ['PASV', '227 Entering Passive Mode 10,0,0,5,195,80\r\n', announced],
  ['PASV', '227 =10,0,0,5,195,80\r\n', announced],
  ['PASV', '227-Entering\r\n (10,0,0,5,195,80)\r\n227 Passive Mode\r\n', announced],
  ['PASV', '227-Entering\r\n227-more (10,0,0,5,195,80)\r\n150 not the end\r\n227 \r\n', announced],
  ['PASV', '227 010,000,000,005,195,080\r\n', announced],
  ['PASV', '227 Entering Passive Mode (10,0,0,256,195,80).\r\n', undefined],
  ['PASV', '227 Entering Passive Mode (10,0,0,5,0,0).\r\n', undefined],
  ['PASV', '227 Entering Passive Mode (10,0,0,5,195).\r\n', undefined],
  ['PASV', '227 (10,0,0,5,195,80,1)\r\n', undefined],
  ['PASV', '227\r\n', undefined],
  ['EPSV', '229 Entering Extended Passive Mode (|||50000|)\r\n', portOnly],
  ['EPSV 1', '229 ok (!!!50000!)\r\n', portOnly],
  ['EPSV', '229 Entering Extended Passive Mode (|1|10.0.0.9|50000|)\r\n', undefined],
  ['EPSV', '229 Entering Extended Passive Mode (|||65536|)\r\n', undefined],
  ['EPSV', '229 Entering Extended Passive Mode (|||0|)\r\n', undefined],
];

for (const [command, reply, endpoint] of spellings)
  test(`${command} and ${JSON.stringify(reply)}: ${endpoint ? 'is replaced' : 'is refused'}`, () => {
    let opened: DataEndpoint | undefined;
    const openDataPort: Open = (wanted) => {
      opened = wanted;
      return first(wanted);
    };
    const expected = reply.startsWith('227') ? pasv : epsv;
    const conversation = steps(`${command}\r\n`, `200 before\r\n${reply}150 after\r\n`);
    assertRelayed(conversation, `200 before\r\n${endpoint ? expected : refused}150 after\r\n`, openDataPort);
    assert.deepEqual(opened, endpoint);
  });

test('every other byte of the server passes unchanged', () => {
  const text = [
    '220-Welcome\r\n227 (10,0,0,5,195,80)\r\n229 (|||50000|)\r\n220 ready\r\n', // text of a multi-line reply
    '22\r\n2\r\n\r\n227\r\r\n2270 (10,0,0,5,195,80)\r\n  227 (10,0,0,5,195,80)\r\n',
    `${'2'.repeat(5000)}\r\n200 \xff\xfe\r\n221 bye`,
  ].join('');
  assertRelayed(steps('PASV\r\n', text), text, first);
});

test('a port that cannot be opened is a refusal, after which the client can ask again', () => {
  const again = steps('PASV\r\n', '227 (10,0,0,5,195,80)\r\n', 'PASV\r\n', '227 (10,0,0,5,195,80)\r\n');
  assertRelayed(again, refused + refused, none);
  assertRelayed(again, pasv + pasv, first);
});

test('an endpoint that the client did not ask for never reaches it', () => {
  assertRelayed(steps('NOOP\r\n', '227 (10,0,0,5,195,80)\r\n'), refused, first);
  assertRelayed(steps('PASV\r\n', '229 (|||50000|)\r\n'), refused, first);
  assertRelayed(steps('EPSV ALL\r\n', '229 (|||50000|)\r\n'), refused, first);
  assertRelayed(steps('LPSV\r\n', '228 (4,4,10,0,0,5,2,195,80)\r\n'), refused, first);
  assertRelayed(steps('PASV\r\n', '227 (10,0,0,5,195,80)\r\n227 (10,0,0,5,195,81)\r\n'), pasv + refused, first);
});

test('after AUTH TLS every byte passes, those that waited too', () => {
  const encrypted = '220 ready\r\n234 go ahead\r\n\x16\x03\x03\n227 \x17';
  assertRelayed(steps('AUTH TLS\r\n', encrypted), encrypted, first);
});
