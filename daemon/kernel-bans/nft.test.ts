/** An nft that hangs, fails or prints garbage: programs in its place on the path. They write no firewall. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { readPrefix } from '../address/prefix.ts';
import { temporaryFolder } from '../testing/daemon.ts';
import { nft } from './nft.ts';
import { ownerOf, table as tableName } from './ruleset.ts';
import { KernelTable } from './table.ts';

/** Puts a shell script in the place of nft. */
function replaceNft(t: TestContext, script: string): void {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'nft'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'nft'), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${folder}${delimiter}${PATH}`;
  t.after(() => {
    process.env.PATH = PATH;
  });
}

for (const [how, script] of [
  ['hangs', 'exec sleep 600'],
  ['hangs in a program that it started', 'sleep 600'],
  ['prints without an end to its error stream', 'exec yes >&2'],
])
  test(`an nft that ${how} is killed, and the run says so`, async (t) => {
    replaceNft(t, script as string);
    await assert.rejects(nft([], { mostMs: 500 }), { message: 'nft did not end within 0.5 s' });
  });

test('an nft that prints more than a ruleset has is refused', async (t) => {
  replaceNft(t, 'exec yes');
  await assert.rejects(nft([]), { message: 'nft prints too much' });
});

test('an nft that fails is quoted in one short line', async (t) => {
  replaceNft(t, `echo "Error: no such thing" >&2; head -c ${daemonBounds.nftOutputBytes} /dev/zero >&2; exit 3`);
  await assert.rejects(nft([]), { message: 'nft: no such thing' });
  replaceNft(t, 'exit 7');
  await assert.rejects(nft([], { input: 'x'.repeat(1024 * 1024) }), { message: 'nft: status 7' });
  replaceNft(t, 'kill -9 $$');
  await assert.rejects(nft([]), { message: 'nft was killed' });
});

const prints: readonly (readonly [string, string])[] = [
  ['', 'another program changed the table at the same time'],
  ['\\377\\000 garbage', 'another program changed the table at the same time'],
  [`table ${tableName} {\\n\\tgarbage\\n}`, `the table ${tableName} belongs to another program`],
];

for (const [garbage, problem] of prints)
  test(`a table of which nft prints ${JSON.stringify(garbage)} is a problem, and not in force`, async (t) => {
    replaceNft(t, `cat >/dev/null; printf '${garbage}'`);
    const faults: string[] = [];
    const table = new KernelTable({
      now: Date.now,
      fault: (message) => faults.push(message),
      fixed: () => ({ scope: 'host', owner: ownerOf('/a'), exempt: [], ports: [], lists: ['ban'] }),
      generation: () => undefined,
      dropped: () => {},
    });
    t.after(() => table.close(false));
    table.listed({ source: 'ban', prefix: readPrefix('192.0.2.7') ?? assert.fail(), until: Date.now() + 60_000 });
    table.begin();
    await until(() => faults.length > 0);
    assert.ok(faults[0]?.startsWith(problem), faults.join());
    assert.equal(table.isWritten, false);
    assert.equal(table.problem, faults[0]);
  });
