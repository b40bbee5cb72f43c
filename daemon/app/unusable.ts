/** Finds what a configuration names and this machine does not have, or this user cannot read. A start needs it. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { readReason, readTailSync } from '../../platform/regular-file.ts';
import { policyReader, readPolicies } from '../admission/policies.ts';
import { sourceProblems } from '../intake/unreadable.ts';
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

/** Returns the problems of the files and folders that a configuration names. `folder` is that of its file. */
export async function unusableFiles(config: Daemon, folder: string): Promise<readonly string[]> {
  const { problems } = await readPolicies(config, policyReader(folder));
  return [
    ...sourceProblems(config),
    ...problems.map(problemClause),
    ...listProblems(config),
    ...folderProblems(config),
  ];
}
