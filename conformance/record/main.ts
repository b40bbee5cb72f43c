/**
 * Records conversations of real servers and clients as vectors: `scripts/node conformance/record/main.ts [server]...`,
 * as root. Skips servers whose programs are missing. The events come from the current inspector: review them before you
 * commit.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { vectorFolder } from '../../daemon/inspectors/testing/vector-files.ts';
import { replay, unsplitPieces, type Vector } from '../../daemon/inspectors/testing/vectors.ts';
import { reasonToSkip, startServer } from '../servers/running.ts';
import type { ServerEnvironment } from '../servers/server.ts';
import { dovecot } from './dovecot.ts';
import { exim } from './exim.ts';
import { ferretdb } from './ferretdb.ts';
import { knot } from './knot.ts';
import { mariadb } from './mariadb.ts';
import { minecraft } from './minecraft.ts';
import { mosquitto } from './mosquitto.ts';
import { nginx } from './nginx.ts';
import { openssh } from './openssh.ts';
import { pgbouncer } from './pgbouncer.ts';
import { postfix } from './postfix.ts';
import { postgres } from './postgres.ts';
import { type Recording, startRelay } from './recorder.ts';
import { redis } from './redis.ts';
import { slapd } from './slapd.ts';
import type { LongTalk, RecordedTalks, Talk, Talks } from './talks.ts';
import { tigervnc } from './tigervnc.ts';
import { vsftpd } from './vsftpd.ts';
import { xrdp } from './xrdp.ts';

const recordings: readonly RecordedTalks[] = [
  ...[dovecot, postfix, exim, vsftpd, openssh, mosquitto, redis, slapd, mariadb, postgres, pgbouncer, nginx],
  ...[tigervnc, xrdp, knot, ferretdb, minecraft],
];

const shapeOf = ({ startedAt, endedAt, bytesIn, bytesOut }: Recording) => ({
  durationMs: endedAt - startedAt,
  bytesIn,
  bytesOut,
});

async function recordingOf(
  description: string,
  talk: Talk | LongTalk,
  environment: ServerEnvironment,
  upstream: number,
): Promise<Recording> {
  const relay = await startRelay(upstream);
  const isOnly = typeof talk === 'function';
  await (isOnly ? talk : talk.talk)(relay.port, environment);
  await relay.settled();
  relay.close();
  const recording = relay.recordings[isOnly ? 0 : talk.connection];
  const { length } = relay.recordings;
  if (!recording || (isOnly && length > 1)) throw new Error(`${description}: ${length} connections`);
  return recording;
}

async function recordTalks({ name, talks, hasShape }: RecordedTalks, environment: ServerEnvironment): Promise<void> {
  for (const [protocol, list] of Object.entries(talks) as [Protocol, Talks][]) {
    const vectors: Vector[] = [];
    for (const [description, talk] of Object.entries(list)) {
      const recording = await recordingOf(description, talk, environment, environment.ports[protocol]);
      const shape = hasShape && { shape: shapeOf(recording) };
      const vector = { description, steps: recording.steps, ...shape, events: [] };
      const events = replay(protocol, { ...vector, client: '127.0.0.1' }, unsplitPieces(vector));
      vectors.push({ ...vector, events });
    }
    const file = join(vectorFolder, `${protocol}-${name}.json`);
    await writeFile(file, `${JSON.stringify(vectors, undefined, 2)}\n`);
    stdout.write(`${file}\n`);
  }
}

async function recordServer(recording: RecordedTalks): Promise<void> {
  const ends: (() => Promise<void>)[] = [];
  const owner = { after: (end: () => Promise<void>) => void ends.push(end) };
  try {
    if (recording.alongside) await startServer(owner, recording.alongside);
    await recordTalks(recording, await startServer(owner, recording.server));
  } finally {
    await Promise.all(ends.map((end) => end()));
  }
}

const requestedNames = argv.slice(2);
for (const recording of recordings)
  if (requestedNames.length === 0 || requestedNames.includes(recording.name)) {
    const { name, server, needs, alongside } = recording;
    const reason = reasonToSkip({ needs: { ...server.needs, ...needs, ...alongside?.needs } });
    if (reason) stdout.write(`${name}: skipped: ${reason}\n`);
    else await recordServer(recording);
  }
