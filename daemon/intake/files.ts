/** Follows a file, or the files of a pattern. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isPattern } from '../../contract/daemon/intake.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { isAbsent } from '../../platform/regular-file.ts';
import { type Complain, createComplainer } from '../audit/complainer.ts';
import { FollowedFile } from './followed.ts';
import type { Positions } from './positions.ts';
import { type Followed, type FollowOptions, pathsOf, reportFailure, type SourceRead } from './read.ts';
import type { Source } from './reading.ts';
import { absentProblem } from './unreadable.ts';

/** Whether the lines since the last run may count. Those of servers have no time, and could be older than the window. */
const resumes = ({ format, window }: Source, { stoppedAt }: Positions, now: number): boolean =>
  format === 'guard' || (stoppedAt !== undefined && now - stoppedAt <= (parseDuration(window) as number));

interface FollowedPath extends Followed {
  readonly isGone: () => boolean;
}

function followFile(read: SourceRead, path: string, { positions, log, now }: FollowOptions): FollowedPath {
  const [complain, absent] = [createComplainer(log), createComplainer(log)];
  const { source, state, encoding, onLine } = read;
  const file = new FollowedFile({
    ...{ path, positions, onLine, encoding, now },
    resumes: resumes(source, positions, now()),
  });
  const poll = async (signal: AbortSignal): Promise<void> => {
    await reportFailure(path, file.poll(signal), complain);
    state.behind.set(path, file.unread);
    absent((file.isAbsent ? absentProblem(source, path) : undefined) ?? '');
  };
  const problems = (): readonly string[] => [...complain.problems(), ...absent.problems()];
  const close = async (): Promise<void> => {
    state.behind.delete(path);
    await file.close();
  };
  return { poll, problems, paths: file.paths, isGone: () => file.isGone, close };
}

/** Names that are compared in one turn of the event loop, which takes some milliseconds. */
const namesPerTurn = 1000;

/** Returns the names of a pattern. Compares in several turns: a folder can have a hundred thousand files. */
export async function matching(names: readonly string[], pattern: string): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < names.length; at += namesPerTurn) {
    if (at > 0) await nextTurn();
    found.push(...names.slice(at, at + namesPerTurn).filter((name) => matchesGlob(name, pattern)));
  }
  return found;
}

/** Returns the files of a pattern, sorted. Their number is bounded. */
async function filesOf(pattern: string, complain: Complain): Promise<readonly string[]> {
  const [folder, form] = [dirname(pattern), basename(pattern)];
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    complain(`intake: ${folder}: ${isAbsent(error) ? 'the folder does not exist' : error.code}`);
    return [];
  });
  const found = (await matching(names, form)).sort();
  const most = daemonBounds.intakePatternFiles;
  if (found.length > most) complain(`intake: ${pattern}: ${found.length} files, and the first ${most} are followed`);
  else if (found.length > 0) complain('');
  else if (names.length > 0) complain(`intake: ${pattern}: no file has such a name`);
  return found.slice(0, most).map((name) => join(folder, name));
}

/**
 * A file that appears later is followed from its end: it may be a rotated copy of a file whose lines were counted. Files
 * stay followed when they disappear, since they may be rotated, until they are gone and others need their room: files with
 * the date in their names do not come back.
 */
function followPattern(read: SourceRead, pattern: string, options: FollowOptions): Followed {
  const complain = createComplainer(options.log);
  const files = new Map<string, FollowedPath>();
  let searchAt = Number.NEGATIVE_INFINITY;
  /** Resolves with whether one more file can be followed. */
  const makeRoom = async (signal: AbortSignal): Promise<boolean> => {
    if (files.size < daemonBounds.intakePatternFiles) return true;
    for (const [path, file] of files) {
      if (!file.isGone()) continue;
      await file.poll(signal); // reads its last lines, or finds that it is there again
      if (!file.isGone()) continue;
      files.delete(path);
      await file.close();
      options.positions.forget(path);
      return true;
    }
    return false;
  };
  const search = async (signal: AbortSignal): Promise<void> => {
    searchAt = options.now() + daemonBounds.intakeSearchMs;
    for (const path of await filesOf(pattern, complain))
      if (!files.has(path) && (await makeRoom(signal))) files.set(path, followFile(read, path, options));
  };
  return {
    poll: async (signal) => {
      const wait = searchAt - options.now();
      if (wait <= 0 || wait > daemonBounds.intakeSearchMs) await search(signal); // or the clock was set back
      for (const { poll } of files.values()) await poll(signal);
    },
    paths: () => pathsOf(files.values()),
    problems: () => [...complain.problems(), ...[...files.values()].flatMap(({ problems }) => problems())],
    close: async () => {
      for (const { close } of files.values()) await close();
    },
  };
}

export const followFiles = (read: SourceRead, file: string, options: FollowOptions): Followed =>
  isPattern(file) ? followPattern(read, file, options) : followFile(read, file, options);
