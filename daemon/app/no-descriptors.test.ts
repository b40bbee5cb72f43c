/** Programs that cannot be started for want of descriptors: Node then reports an error of a process without streams. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const moduleOf = (name: string): string =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '..', `${name}${extname(import.meta.filename)}`)).href);

/** Prints what the expression resolves with, or the reason why it is rejected. */
const scriptOf = (module: string, expression: string): string => `
  const { openSync } = await import('node:fs');
  const module = await import(${moduleOf(module)});
  try {
    for (;;) openSync('/dev/null');
  } catch {}
  const result = await Promise.resolve().then(() => ${expression}).catch(({ message }) => message);
  console.log(result);
`;

const journal = `new Promise((complain) => new module.FollowedJournal({
  sources: [{ unit: 'ssh.service' }], positions: {}, now: Date.now, complain,
}).poll())`;

for (const [what, module, expression, expected] of [
  ['nft', 'kernel-bans/nft', "module.nft(['list', 'tables'])", /^nft: spawn \/bin\/sh EMFILE\n$/],
  [
    'sendmail',
    'notify/targets',
    "module.sendNotice({ sendmail: 'root' }, { title: 'a', text: 'b' }, AbortSignal.timeout(60_000))",
    /^cannot start \/usr\/sbin\/sendmail: too many open files\n$/,
  ],
  ['journalctl', 'intake/journal', journal, /^intake: journal: spawn journalctl EMFILE\n$/],
] as const)
  test(`${what} without a descriptor is a failure of the caller, and the daemon continues`, () => {
    const script = scriptOf(module, expression);
    const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script];
    const { stdout, stderr, status } = spawnSync('sh', limited, { encoding: 'utf8' });
    assert.match(stdout, expected, stderr);
    assert.equal(status, 0);
  });
