/**
 * Follows a container through Docker's json-file. It needs no socket: Docker describes each container in a file beside
 * its log. A container that is made again has another folder.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { parseObject } from '../../logs/access/json.ts';
import { isAbsent, readRegular } from '../../platform/regular-file.ts';
import { createComplainer } from '../audit/complainer.ts';
import { FollowedFile } from './followed.ts';
import { type Followed, type FollowOptions, pathsOf, type SourceRead } from './read.ts';

export const dockerFolder = '/var/lib/docker/containers';

/** A line whose pieces have not all arrived. */
interface Piece {
  text: string;
  /** Whether an earlier piece is missing, so that what follows may be text of a client. */
  isBroken: boolean;
}

/** Joins the records of json-file to lines: Docker writes a long line in several records. */
export class DockerRecords {
  readonly #onMessage: (message: string, at: number) => void;
  readonly #pieces = new Map<unknown, Piece>();
  /** Whether a record was not read: each stream may then be within a line. */
  #isLost: boolean;

  /** @param isWhole whether the first record is that of the container */
  constructor(onMessage: (message: string, at: number) => void, isWhole: boolean) {
    this.#onMessage = onMessage;
    this.#isLost = !isWhole;
  }

  readonly onSkipped = (): void => {
    this.#isLost = true;
    this.#pieces.clear();
  };

  readonly onLine = (record: string): void => {
    const { log, stream, time } = parseObject(record) ?? {};
    const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    if (typeof log !== 'string' || (stream !== 'stdout' && stream !== 'stderr') || Number.isNaN(at)) {
      this.onSkipped();
      return;
    }
    const piece = this.#pieces.get(stream) ?? { text: '', isBroken: this.#isLost };
    piece.text += log;
    if (piece.text.length > daemonBounds.intakeLineBytes) {
      piece.text = '';
      piece.isBroken = true;
    }
    this.#pieces.set(stream, piece);
    if (!log.endsWith('\n')) return;
    this.#pieces.set(stream, { text: '', isBroken: false });
    if (!piece.isBroken) this.#onMessage(piece.text.replace(/\r?\n$/, ''), at);
  };
}

interface Described {
  /** Changes when Docker writes the description again, such as for a new name. */
  readonly version: string;
  readonly name: unknown;
}

/** The names of containers by id. Docker keeps the name of a container in a file of its folder. */
class DockerNames {
  readonly #folder: string;
  #known = new Map<string, Described>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the ids of the containers with a name. Rejects when the folder cannot be read. */
  async find(name: string): Promise<readonly string[]> {
    const ids = (await readdir(this.#folder)).slice(0, daemonBounds.dockerContainers);
    const found = new Map<string, Described>();
    for (const id of ids) {
      const described = await this.#describe(id).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EACCES') throw error;
        return undefined; // a container that is being made or removed
      });
      if (described) found.set(id, described);
    }
    this.#known = found;
    return ids.filter((id) => found.get(id)?.name === `/${name}`);
  }

  async #describe(id: string): Promise<Described> {
    const path = join(this.#folder, id, 'config.v2.json');
    const { ino, mtimeMs, size } = await stat(path);
    const [version, known] = [`${ino} ${mtimeMs} ${size}`, this.#known.get(id)];
    if (known?.version === version) return known;
    const bytes = await readRegular(path, daemonBounds.dockerConfigBytes);
    return { version, name: parseObject(bytes.toString())?.Name };
  }
}

/** How an unreadable folder is reported. Podman and the log driver journald do not need it. */
const unreadable = (name: string, code: string): string =>
  `intake: container ${name}: cannot read ${dockerFolder}: ${code}. Docker's json-file needs CAP_DAC_READ_SEARCH; or use the log driver journald`;

export function followContainer(
  { source: { container: name = '' }, state, onMessage }: SourceRead,
  { positions, log, now }: FollowOptions,
  folder: string = dockerFolder,
): Followed {
  const [complain, names] = [createComplainer(log), new DockerNames(folder)];
  const files = new Map<string, FollowedFile>();
  let [searchAt, isFirst] = [Number.NEGATIVE_INFINITY, true];
  const open = (id: string): FollowedFile => {
    const { onLine, onSkipped } = new DockerRecords(onMessage, !isFirst);
    const path = join(folder, id, `${id}-json.log`);
    const file = { path, positions, onLine, onSkipped, encoding: 'utf8', now, resumes: true, isNew: !isFirst } as const;
    return new FollowedFile({ ...file, mostBytes: daemonBounds.dockerRecordBytes });
  };
  const search = async (): Promise<void> => {
    searchAt = now() + daemonBounds.intakeSearchMs;
    const ids = await names.find(name);
    for (const id of ids) if (!files.has(id)) files.set(id, open(id));
    for (const [id, file] of files)
      if (!ids.includes(id)) {
        files.delete(id);
        state.behind.delete(id);
        await file.close();
      }
    isFirst = false;
  };
  const poll = async (signal: AbortSignal): Promise<void> => {
    const wait = searchAt - now();
    if (wait <= 0 || wait > daemonBounds.intakeSearchMs) await search();
    for (const [id, file] of files) {
      await file.poll(signal);
      state.behind.set(id, file.unread);
    }
  };
  const isInJournal = (): boolean => files.size === 0 && state.hasLines;
  return {
    poll: (signal) =>
      poll(signal).then(
        () => complain(''),
        (error: NodeJS.ErrnoException) =>
          complain(isAbsent(error) || isInJournal() ? '' : unreadable(name, error.code ?? error.message)),
      ),
    paths: () => pathsOf(files.values()),
    problems: complain.problems,
    close: async () => {
      for (const file of files.values()) await file.close();
    },
  };
}
