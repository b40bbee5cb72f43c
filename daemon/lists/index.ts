/** The lists of the configuration. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Audit, AuditEvent } from '../audit/event.ts';
import { createInTurn } from '../time/in-turn.ts';
import { removeOtherCopies } from './copy.ts';
import { FollowedList, type FollowedOptions, type ListState } from './followed.ts';

export type { ListState } from './followed.ts';

export interface Lists {
  readonly state: () => readonly ListState[];
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}

interface ListsOptions extends Omit<FollowedOptions, 'signal' | 'reading' | 'evaluating'> {
  readonly config: Daemon;
  readonly audit: Pick<Audit, 'follow'>;
}

/** Resolves when the contents of the previous run are in force. The lists are read in the background. */
export async function startLists({ config, audit, ...options }: ListsOptions): Promise<Lists> {
  const end = new AbortController();
  const turns = { reading: createInTurn(daemonBounds.listsAtOnce), evaluating: createInTurn() };
  const shared = { ...options, ...turns, signal: end.signal };
  const lists = config.lists.map((source) => new FollowedList(source, shared));
  for (const name of options.table.names())
    if (!lists.some((list) => list.name === name)) await options.table.remove(name);
  for (const list of lists) await list.restore();
  const detecting = lists.filter(({ isDetecting }) => isDetecting);
  const count = ({ action, client_ip: ip }: AuditEvent): void => {
    if (detecting.length === 0 || action === 'banned' || action === 'unbanned') return;
    const names = options.table.covering(ip, false);
    for (const list of detecting) if (names.includes(list.name)) list.detected++;
  };
  const stop = audit.follow(count);
  const work = Promise.all([
    removeOtherCopies(
      options.dataDir,
      lists.map(({ name }) => name),
    ).catch(() => {}),
    ...lists.map((list) => list.follow()),
  ]);
  return {
    state: () => lists.map((list) => list.state()),
    problems: () => lists.flatMap((list) => list.problems()),
    close: async () => {
      end.abort();
      stop();
      await work;
    },
  };
}
