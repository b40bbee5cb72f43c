import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { FileChanges } from './changes.ts';

const folder = mkdtempSync(join(tmpdir(), 'guard-changes-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Longer than the test runs. */
const never = 2 ** 30;
const { signal } = new AbortController();

it('ends its wait when a file grows, shrinks or is renamed, and when the daemon stops', async (t) => {
  const [one, other] = ['one.log', 'other.log'].map((name) => join(folder, name)) as [string, string];
  for (const path of [one, other]) writeFileSync(path, 'x');
  const changes = new FileChanges(never);
  t.after(() => changes.close());
  for (const change of [
    () => appendFileSync(other, 'y'),
    () => truncateSync(one, 0),
    () => renameSync(one, `${one}.1`),
  ]) {
    writeFileSync(one, 'x', { flag: 'a' });
    await changes.wait([one, other], signal); // begins to watch
    const changed = changes.wait([one, other], signal);
    change();
    await changed;
  }
  const stop = new AbortController();
  writeFileSync(one, 'x');
  await changes.wait([one], stop.signal);
  const stopped = changes.wait([one], stop.signal);
  stop.abort();
  await stopped;
});

it('does not wait for files that cannot be watched', async () => {
  const changes = new FileChanges(never);
  for (const paths of [undefined, [join(folder, 'absent.log')], ['/proc/self/status']])
    for (let round = 0; round < 2; round += 1) await changes.wait(paths, signal);
});
