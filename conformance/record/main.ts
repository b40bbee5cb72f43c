/**
 * Records conversations of real servers and clients as vectors: `scripts/node conformance/record/main.ts [server]...`,
 * as root. Skips servers whose programs are missing. The events come from the current inspector: review them before you
 * commit.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { vectorFolder } from '../../daemon/inspectors/testing/vector-files.ts';
import { replay, unsplitPieces, type Vector } from '../../daemon/inspectors/testing/vectors.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
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
import type { LongTalk, RecordedServer, Talk, Talks } from './server.ts';
import { slapd } from './slapd.ts';
import { tigervnc } from './tigervnc.ts';
import { vsftpd } from './vsftpd.ts';
import { xrdp } from './xrdp.ts';

const servers: readonly RecordedServer[] = [
  dovecot,
  postfix,
  exim,
  vsftpd,
  openssh,
  mosquitto,
  redis,
  slapd,
  mariadb,
  postgres,
  pgbouncer,
  nginx,
  tigervnc,
  xrdp,
  knot,
  ferretdb,
  minecraft,
];

const shapeOf = ({ startedAt, endedAt, bytesIn, bytesOut }: Recording) => ({
  durationMs: endedAt - startedAt,
  bytesIn,
  bytesOut,
});

async function recordingOf(description: string, talk: Talk | LongTalk, upstream: number): Promise<Recording> {
  const relay = await startRelay(upstream);
  const isOnly = typeof talk === 'function';
  await (isOnly ? talk : talk.talk)(relay.port);
  await relay.settled();
  relay.close();
  const recording = relay.recordings[isOnly ? 0 : talk.connection];
  const { length } = relay.recordings;
  if (!recording || (isOnly && length > 1)) throw new Error(`${description}: ${length} connections`);
  return recording;
}

async function recordServer({ name, start, talks, hasShape }: RecordedServer): Promise<void> {
  const { ports, stop } = await start(scratchFolder(`record-${name}-`));
  try {
    for (const [protocol, list] of Object.entries(talks) as [Protocol, Talks][]) {
      const vectors: Vector[] = [];
      for (const [description, talk] of Object.entries(list)) {
        const recording = await recordingOf(description, talk, ports[protocol] ?? 0);
        const shape = hasShape && { shape: shapeOf(recording) };
        const vector = { description, steps: recording.steps, ...shape, events: [] };
        const events = replay(protocol, { ...vector, client: '127.0.0.1' }, unsplitPieces(vector));
        vectors.push({ ...vector, events });
      }
      const file = join(vectorFolder, `${protocol}-${name}.json`);
      await writeFile(file, `${JSON.stringify(vectors, undefined, 2)}\n`);
      stdout.write(`${file}\n`);
    }
  } finally {
    await stop();
  }
}

const requestedServers = argv.slice(2);
for (const server of servers.filter(({ name }) => requestedServers.length === 0 || requestedServers.includes(name))) {
  const missing = Object.entries(server.needs).filter(([program]) => !existsSync(program));
  if (missing.length > 0)
    stdout.write(`${server.name}: skipped, needs ${missing.map(([, names]) => names).join(' ')}\n`);
  else await recordServer(server);
}
