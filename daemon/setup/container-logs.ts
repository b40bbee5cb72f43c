/** What containers wrote last, where Docker keeps their logs in files. Only root can read them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { parseObject } from '../../logs/access/json.ts';
import { openRegular, readRegular } from '../../platform/regular-file.ts';
import { DockerRecords, dockerFolder } from '../intake/docker.ts';

export interface ContainerLog {
  readonly name: string;
  /** The last lines. */
  readonly lines: readonly string[];
}

const tailBytes = 65_536; // some hundred lines

async function lastLines(path: string): Promise<readonly string[]> {
  const { handle, stat } = await openRegular(path);
  try {
    const start = Math.max(0, stat.size - tailBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(tailBytes), 0, tailBytes, start);
    const lines: string[] = [];
    const records = new DockerRecords((line) => lines.push(line), start === 0);
    for (const record of buffer
      .toString('utf8', 0, bytesRead)
      .split('\n')
      .slice(start === 0 ? 0 : 1))
      if (record !== '') records.onLine(record);
    return lines;
  } finally {
    await handle.close();
  }
}

async function logOf(folder: string, id: string): Promise<ContainerLog> {
  const lines = await lastLines(join(folder, id, `${id}-json.log`));
  const description = await readRegular(join(folder, id, 'config.v2.json'), daemonBounds.dockerConfigBytes);
  return { name: `${parseObject(description.toString())?.Name ?? ''}`.slice(1), lines };
}

/** Returns nothing without Docker. A container that is being made or removed, or that has another log driver, is left out. */
export async function containerLogs(folder: string = dockerFolder): Promise<ContainerLog[]> {
  const ids = await readdir(folder).catch((): string[] => []);
  const logs = await Promise.all(
    ids.slice(0, daemonBounds.dockerContainers).map((id) => logOf(folder, id).catch(() => undefined)),
  );
  return logs.filter((log) => log !== undefined);
}
