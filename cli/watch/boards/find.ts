/** Finds the dashboards in the folder of the stack, where a user may edit them. Falls back to those of the package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import { UsageError } from '../../../platform/errors.ts';
import { statOf } from '../../input/stat.ts';
import { type Board, boardBounds } from './model.ts';
import { readBoard } from './read.ts';

const dashboardsPath = join('grafana', 'dashboards');

const isOverview = (name: string): boolean => name.includes('overview');

/**
 * Returns what `read` returns, or an empty list when it throws: for absent folders, dangling links, unreadable files.
 */
function orEmpty<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

const isSmallFile = (file: string): boolean => {
  const stat = statOf(file);
  return stat?.isFile() === true && stat.size <= boardBounds.fileBytes;
};

function boardsIn(folder: string): Board[] {
  return orEmpty(() => readdirSync(folder))
    .filter((name) => name.endsWith('.json'))
    .sort((one, other) => Number(isOverview(other)) - Number(isOverview(one)) || (one < other ? -1 : 1))
    .map((name) => join(folder, name))
    .filter(isSmallFile)
    .slice(0, boardBounds.boards)
    .flatMap((file) => orEmpty(() => [readFileSync(file, 'utf8')]))
    .flatMap((text) => readBoard(text) ?? []);
}

/**
 * Returns the dashboards of the stack in `dir`, or those of the package.
 * @throws UsageError when both folders have none
 */
export function findBoards(dir: string): readonly Board[] {
  const folders = [join(dir, dashboardsPath), join(packageRoot, 'observability', dashboardsPath)];
  for (const folder of folders) {
    const boards = boardsIn(folder);
    if (boards.length > 0) return boards;
  }
  throw new UsageError(`no dashboard in ${folders.join(' or ')}`, {
    code: 'no_dashboards',
    hint: 'guardcli dashboard export writes them',
  });
}

/**
 * Returns the dashboard with a uid or title.
 * @param wanted the uid, or the title in any letter case. Undefined selects the first dashboard
 * @throws UsageError when no dashboard has it
 */
export function chooseBoard(boards: readonly Board[], wanted: string | undefined): Board {
  if (wanted === undefined) return boards[0] as Board;
  const found = boards.find(({ uid, title }) => uid === wanted || title.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const hint = `choose one of ${boards.map(({ uid }) => uid).join(', ')}`;
  throw new UsageError(`there is no dashboard ${JSON.stringify(wanted)}`, { code: 'no_such_dashboard', hint });
}
