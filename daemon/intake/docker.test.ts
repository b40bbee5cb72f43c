import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { daemonSchema } from '../../contract/daemon/schema.ts';
import { DockerRecords, followContainer } from './docker.ts';
import { readFormats } from './formats.ts';
import { openPositions } from './positions.ts';
import { SourceRead } from './read.ts';
import { Users } from './users.ts';

const base = mkdtempSync(join(tmpdir(), 'guard-docker-'));
after(() => rmSync(base, { recursive: true, force: true }));

const client = '198.51.100.7';
const record = (log: string, stream = 'stderr', time = new Date().toISOString()): string =>
  `${JSON.stringify({ log, stream, time })}\n`;
const failed = (user: string, ip = client) => `Failed password for ${user} from ${ip} port 4711 ssh2`;

/** Makes the folder of a container, as Docker does. Returns the path of its log. */
function makeContainer(folder: string, id: string, name: string): string {
  mkdirSync(join(folder, id));
  writeFileSync(
    join(folder, id, 'config.v2.json'),
    JSON.stringify({ ID: id, Name: `/${name}`, LogPath: '/etc/passwd' }),
  );
  const log = join(folder, id, `${id}-json.log`);
  writeFileSync(log, '');
  return log;
}

/** Runs an action without the rights of root, which can read every folder. */
async function asOrdinaryUser(folder: string, action: () => Promise<unknown>): Promise<void> {
  if (process.getuid?.() !== 0) return void (await action());
  for (const one of [base, folder]) chmodSync(one, 0o755);
  process.seteuid?.(65_534);
  try {
    await action();
  } finally {
    process.seteuid?.(0);
  }
}

function followed() {
  const folder = mkdtempSync(join(base, 'case-'));
  const config = daemonSchema().parse({ intake: [{ container: 'mail', format: 'sshd' }] });
  const counted: string[] = [];
  const failures = {
    isExempt: () => false,
    fail: ({ ip }: { ip: string }): boolean => {
      counted.push(ip);
      return false;
    },
  };
  let ahead = 0;
  const formats = readFormats(config);
  const options = { config, formats, failures, now: () => Date.now() + ahead, log: () => undefined };
  const read = new SourceRead(config.intake[0] as never, new Users([], () => undefined), () => undefined, options);
  const one = followContainer(read, { ...options, positions: openPositions(folder) }, folder);
  const poll = async (): Promise<string[]> => {
    ahead += 5000; // the search for containers
    await one.poll(AbortSignal.timeout(10_000));
    return counted.splice(0);
  };
  return { ...one, folder, poll };
}

describe('a container of Docker', () => {
  it('is found by its name, and followed over rotation and when it is made again', async () => {
    const { folder, poll, close } = followed();
    const log = makeContainer(folder, 'a1', 'mail');
    makeContainer(folder, 'b2', 'other');
    appendFileSync(log, record(`${failed('old')}\n`));
    assert.deepEqual(await poll(), []);
    appendFileSync(log, record('whole\n') + record(`${failed('root')}\n`));
    appendFileSync(join(folder, 'b2', 'b2-json.log'), record(`${failed('x', '203.0.113.1')}\n`));
    assert.deepEqual(await poll(), [client]);
    renameSync(log, `${log}.1`);
    appendFileSync(`${log}.1`, record(`${failed('one')}\n`));
    writeFileSync(log, record(`${failed('two')}\n`));
    assert.deepEqual(await poll(), [client, client]);
    rmSync(join(folder, 'a1'), { recursive: true });
    appendFileSync(makeContainer(folder, 'c3', 'mail'), record(`${failed('three')}\n`));
    assert.deepEqual(await poll(), [client]);
    await close();
  });

  it('is found under a name that it gets later, as compose does when it makes a container again', async () => {
    const { folder, poll, close } = followed();
    const log = makeContainer(folder, 'a1', 'a1_mail');
    await poll();
    const description = join(folder, 'a1', 'config.v2.json');
    writeFileSync(`${description}.new`, JSON.stringify({ Name: '/mail' }));
    renameSync(`${description}.new`, description);
    await poll();
    appendFileSync(log, record('first\n') + record(`${failed('root')}\n`));
    assert.deepEqual(await poll(), [client]);
    await close();
  });

  it('counts no line of a record that is older than the window', async () => {
    const { folder, poll, close } = followed();
    await poll();
    const log = makeContainer(folder, 'a1', 'mail');
    appendFileSync(log, record(`${failed('root')}\n`, 'stderr', '2020-01-01T00:00:00Z'));
    assert.deepEqual(await poll(), []);
    await close();
  });

  it('reports a folder that cannot be read', async () => {
    const { folder, problems, poll } = followed();
    mkdirSync(join(folder, 'a1'), { mode: 0 });
    await asOrdinaryUser(folder, poll);
    assert.match(problems().join(), /CAP_DAC_READ_SEARCH/);
  });
});

describe('records of json-file', () => {
  const linesOf = (records: readonly string[], isWhole = true): string[] => {
    const lines: string[] = [];
    const reader = new DockerRecords((line) => lines.push(line), isWhole);
    for (const one of records) reader.onLine(one.trimEnd());
    return lines;
  };

  it('are joined to lines for each stream', () => {
    const records = [
      record('ab', 'stdout'),
      record('xy', 'stderr'),
      record('c\n', 'stdout'),
      record('z\r\n', 'stderr'),
    ];
    assert.deepEqual(linesOf(records), ['abc', 'xyz']);
  });

  it('are skipped up to the next line where a part was not read', () => {
    const forged = failed('root', '192.0.2.66');
    assert.deepEqual(linesOf([record(`${forged}\n`), record('next\n')], false), ['next']);
    assert.deepEqual(linesOf([record('x'.repeat(16_000)), record('y'.repeat(16_000)), record(`${forged}\n`)]), []);
    assert.deepEqual(linesOf([record('start '), '{"log":"cut', record(`${forged}\n`), record('next\n')]), ['next']);
  });
});
