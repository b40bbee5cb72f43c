/** Mutated files for the loaders: they must not throw, and must place every problem. */
import assert from 'node:assert/strict';
import { createRandom, type Random } from '../differential/random.ts';
import { loadAny, loadDaemon, loadPolicy } from './index.ts';
import type { Loaded } from './problem.ts';

const policy = `{"$schema": "x", "mode": "detect", "secret": "\${S}", "blockPatterns": ["(?i)\\\\.env$", "a{2,3}"],
  "rules": [{"id": "a", "action": "block", "pattern": "x|y", "targets": ["path"]}], "allowedIps": ["10.0.0.0/8", "::1"],
  "exceptions": [{"rules": ["env-file"], "path": "^/x"}], "methods": ["*"], "maxBodyBytes": 1024,
  "response": {"mode": "redirect", "statusCode": 302, "redirectUrl": "/x", "headers": {"X-A": "b"}}}`;
const daemon = `version: 1
global: {log_level: &l "off", ban_duration: 1h30m, never_ban: ["::1/128"], geo_block: {deny_countries: [DE]}, geoip_db: x}
api: {listen: "[::1]:9091", auth_token: "\${TOKEN_OF_THE_API}"}
services:
  ssh:
    listen: ":2222"
    upstream: h:22 # text
    timeouts: {connect: 5s}
  other: {listen: ":1", upstream: "h:2", protocol: tls, tls: {allow_sni: ["*.a.b"]}}
`;

/** What breaks readers: structure, quotes, anchors, huge numbers, controls, bytes that are no UTF-8. */
const pieces =
  '{ } [ ] , : " \' & * ! | > - # % @ ` \\ ? ~ \n \r \t \0 &a *a <<: !!map --- ... "" null 1e999 -0 __proto__ ${ } (?= {9}'
    .split(' ')
    .map((piece) => Buffer.from(piece))
    .concat([
      Buffer.of(0xff),
      Buffer.of(0xc3),
      Buffer.of(0xed, 0xa0, 0x80),
      Buffer.from('\ufeff'),
      Buffer.from('\u2028😀'),
    ]);

function mutated(source: Buffer, random: Random): Buffer {
  let bytes = source;
  for (const _ of random.several(1, 8, () => 0)) {
    const at = random.integer(bytes.length + 1);
    const piece = random.once(3) ? bytes.subarray(at, at + random.integer(40)) : random.pick(pieces);
    bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + random.integer(4))]);
  }
  return bytes;
}

function checkResult(loaded: Loaded<unknown>, lineCount: number): void {
  if (loaded.ok) {
    assert.ok(Array.isArray(loaded.warnings));
    return;
  }
  assert.ok(loaded.problems.length > 0);
  for (const { line, column, message, path } of loaded.problems) {
    assert.ok(line >= 1 && line <= lineCount && column >= 1);
    assert.doesNotMatch(message + path, /\p{Cc}/u);
    assert.notEqual(message, '');
  }
}

type Load = (bytes: Uint8Array, name: string) => Loaded<unknown>;

interface Target {
  readonly name: string;
  /** What is mutated. */
  readonly source: string;
  readonly load: Load;
}

export const loaders: readonly Target[] = [
  { name: 'a policy', source: policy, load: loadPolicy },
  { name: 'a daemon file', source: daemon, load: (bytes, name) => loadDaemon(bytes, name) },
  { name: 'either', source: `${daemon}${policy}`, load: (bytes) => loadAny(bytes, 'x').loaded },
];

/** @throws AssertionError, or whatever the loader throws */
export function fuzzLoader({ source, load }: Target, rounds: number, seed: number): void {
  const random = createRandom(seed);
  for (let round = 0; round < rounds; round += 1) {
    const bytes = mutated(Buffer.from(source), random);
    checkResult(load(bytes, 'x'), bytes.toString().split(/\r\n|\n|\r/).length);
  }
}
