/** Symbolic links in `data_dir`: what the daemon writes does not reach the files that they name. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { echo, guardedService, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';

const names = [
  ...['bans.sqlite', 'bans.sqlite-wal', 'bans.sqlite-shm', 'bans.sqlite-journal'],
  ...['bans.sqlite.backup', 'bans.sqlite.backup.new', 'bans.sqlite.lifts', 'bans.sqlite.lifts.new'],
  ...['exemptions.json', 'exemptions.json.new', 'intake.json', 'intake.json.new'],
  ...['push.jsonl', 'push.jsonl.new', 'threatfeed.jsonl', 'threatfeed.jsonl.new'],
];
const content = 'the file of another program\n';

test('links in the place of its files are replaced, and not followed', async (t) => {
  const [folder, outside] = [temporaryFolder(), temporaryFolder()];
  for (const name of names) {
    writeFileSync(join(outside, name), content);
    symlinkSync(join(outside, name), join(folder, name));
  }
  const published = join(folder, 'published');
  mkdirSync(published);
  for (const name of ['bans.json', 'bans.json.new']) {
    writeFileSync(join(outside, name), content);
    symlinkSync(join(outside, name), join(published, name));
  }
  const { port } = await startUpstream(t, echo);
  const { daemon } = await start(
    t,
    { services: { echo: guardedService(port) }, bans: { publish: join(published, 'bans.json') } },
    { folder },
  );
  await daemon.bans.add({ ip: '192.0.2.1', reason: 'test', origin: 'api' });
  await daemon.bans.add({ ip: '192.0.2.2', reason: 'test', origin: 'api' });
  await daemon.bans.remove('192.0.2.2');
  await daemon.exemptions.add({ ip: '192.0.2.3', reason: 'test', durationMs: 3_600_000 });
  await daemon.close(0);
  for (const name of readdirSync(outside)) assert.equal(readFileSync(join(outside, name), 'utf8'), content, name);
});
