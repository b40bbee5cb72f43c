/** For tests: a daemon whose configuration can change. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { loadDaemon } from '../../contract/load/index.ts';
import { bytesOf, received, type Started, start, temporaryFolder, testFile } from './daemon.ts';

export interface Changeable extends Started {
  /** Replaces the configuration by sections or by a text. The next reload reads it. */
  readonly write: (next: DaemonFile | string) => void;
}

export async function startChangeable(t: TestContext, first: DaemonFile): Promise<Changeable> {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  let text = JSON.stringify(testFile(folder, first));
  const write = (next: DaemonFile | string) => {
    text = typeof next === 'string' ? next : JSON.stringify(testFile(folder, next));
  };
  const read = () => loadDaemon(Buffer.from(text), path, {});
  const started = await start(t, first, { read, folder });
  return { ...started, write, folder };
}

/** Whether the upstream of a connection echoes a byte. False when the daemon ends the connection or has ended it. */
export async function isEchoed(socket: ReturnType<Started['dial']>): Promise<boolean> {
  if (socket.destroyed || socket.readableEnded) return false;
  socket.write('x');
  const { bytes } = await Promise.race([bytesOf(socket, 1).then((bytes) => ({ bytes })), received(socket)]);
  return bytes.length === 1;
}
