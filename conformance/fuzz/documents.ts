/** Fuzzes the loaders with mutated files. A loader must not throw, and each problem must have a place in the file. */
import assert from 'node:assert/strict';
import { loadAny, loadDaemon, loadPolicy } from '../../contract/load/index.ts';
import type { Loaded } from '../../contract/load/problem.ts';
import { createRandom, type Random } from '../differential/random.ts';

const policySeeds = [
  `{"$schema": "x", "mode": "detect", "secret": "\${S}", "blockPatterns": ["(?i)\\\\.env$", "a{2,3}"]}`,
  `{"rules": [{"id": "a", "action": "block", "pattern": "x|y", "targets": ["path"]}], "allowedIps": ["10.0.0.0/8", "::1"],
  "exceptions": [{"rules": ["env-file"], "path": "^/x"}], "methods": ["*"], "maxBodyBytes": 1024}`,
  `{"response": {"mode": "redirect", "statusCode": 302, "redirectUrl": "/x", "headers": {"X-A": "b"}}}`,
  `{"tcp": {"services": {"ssh": {"listen": ":1", "upstream": "h:2", "rate_limit": {"connections_per_minute": 3}}}}}`,
];
const daemonSeeds = [
  `version: 1
global: {log_level: &l "off", ban_duration: 1h30m, never_ban: ["::1/128"], geo_block: {deny_countries: [DE]}, geoip_db: x}
`,
  `api: {listen: "[::1]:9091", auth_token: "\${TOKEN_OF_THE_API}"}
intake:
  - {file: a.jsonl, after: 2}
`,
  `services:
  ssh:
    listen: ":2222"
    upstream: h:22 # text
    timeouts: {connect: 5s}
  other: {listen: ":1", upstream: "h:2", protocol: tls, tls: {allow_sni: ["*.a.b"]}}
`,
];

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

/** Returns a copy with up to `most` changes: deleted, repeated or inserted bytes. */
export function mutateBytes(source: Buffer, random: Random, own: readonly Buffer[] = pieces, most = 8): Buffer {
  let bytes = source;
  for (let left = 1 + random.integer(most); left > 0; left -= 1) {
    const at = random.integer(bytes.length + 1);
    const piece = random.oneIn(3) ? bytes.subarray(at, at + random.integer(40)) : random.pick(own);
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
  readonly sources: readonly string[];
  readonly load: Load;
}

export const loaders: readonly Target[] = [
  { name: 'a policy', sources: policySeeds, load: loadPolicy },
  { name: 'a daemon file', sources: daemonSeeds, load: (bytes, name) => loadDaemon(bytes, name) },
  {
    name: 'either',
    sources: [...daemonSeeds, ...policySeeds, `${daemonSeeds[1]}${policySeeds[2]}`],
    load: (bytes) => loadAny(bytes, 'x').loaded,
  },
];

export function fuzzLoader({ sources, load }: Target, rounds: number, seed: number): void {
  const random = createRandom(seed);
  const seeds = sources.map((source) => Buffer.from(source));
  for (let round = 0; round < rounds; round += 1) {
    const bytes = mutateBytes(random.pick(seeds), random);
    checkResult(load(bytes, 'x'), bytes.toString().split(/\r\n|\n|\r/).length);
  }
}
