/** Finds what a configuration names and this machine does not have, or this user cannot read. A start needs it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Daemon, daemonSchema } from '../../contract/daemon/schema.ts';
import { readReason, readTailSync } from '../../platform/regular-file.ts';
import { problemClause } from './problem-text.ts';

function listProblems({ lists }: Daemon): string[] {
  return lists.flatMap(({ file }, index) => {
    try {
      if (file !== undefined) readTailSync(file, 0);
      return [];
    } catch (error) {
      return [`lists[${index}].file: ${file}: ${readReason(error)}`];
    }
  });
}

function folderProblems({ api, bans }: Daemon): string[] {
  return Object.entries({ 'api.socket': api.socket, 'bans.publish': bans.publish }).flatMap(([key, path]) =>
    !path || existsSync(dirname(path)) ? [] : [`${key}: ${path}: the folder does not exist`],
  );
}

/** @throws Error that says why a folder, or a file in it, cannot be created or written */
function requireWritable(path: string, isFolder: boolean): void {
  const { R_OK, W_OK, X_OK } = constants;
  if (existsSync(path)) {
    if (statSync(path).isDirectory() !== isFolder) throw new Error(isFolder ? 'not a folder' : 'it is a folder');
    accessSync(path, isFolder ? R_OK | W_OK | X_OK : R_OK | W_OK);
    return;
  }
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  accessSync(folder, W_OK | X_OK);
}

/** The folders of the packages are absent where a configuration is only checked, so these paths need not be creatable. */
function writeProblems({ global }: Daemon): string[] {
  const { global: usual } = daemonSchema().parse({ version: 1 });
  return (['data_dir', 'log_file'] as const).flatMap((key) => {
    const path = global[key];
    if (path === usual[key] && !existsSync(path)) return [];
    try {
      requireWritable(path, key === 'data_dir');
      return [];
    } catch (error) {
      return [`global.${key}: ${path}: ${readReason(error)}`];
    }
  });
}

// The engine and the readers of logs are loaded where the configuration needs them: they take half of the time of a check.

async function policyProblems(config: Daemon, folder: string): Promise<readonly string[]> {
  if (!Object.values(config.services).some(({ http }) => http?.policy !== undefined)) return [];
  const { policyReader, readPolicies } = await import('../admission/policies.ts');
  return (await readPolicies(config, policyReader(folder))).problems.map(problemClause);
}

async function intakeProblems(config: Daemon): Promise<readonly string[]> {
  if (config.intake.length === 0) return [];
  const { sourceProblems } = await import('../intake/unreadable.ts');
  return sourceProblems(config);
}

/** Returns the problems of the files and folders that a configuration names. `folder` is that of its file. */
export async function unusableFiles(config: Daemon, folder: string): Promise<readonly string[]> {
  return [
    ...(await intakeProblems(config)),
    ...(await policyProblems(config, folder)),
    ...listProblems(config),
    ...folderProblems(config),
    ...writeProblems(config),
  ];
}
