/** `guardcli replay --bans`: what `tcp-guard` would have banned, from old logs. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import { edgeNotices } from '../../../contract/values/edges.ts';
import { readFormats } from '../../../daemon/intake/formats.ts';
import { readingOf } from '../../../daemon/intake/reading.ts';
import { Rehearsal } from '../../../daemon/intake/rehearsal.ts';
import { ConfigError, UsageError } from '../../../platform/errors.ts';
import { refuseRepeatedFiles } from '../../input/log-lines.ts';
import { namedLogs } from '../../input/rotated.ts';
import { readSource, refuseStdinTwice } from '../../input/source.ts';
import type { Context } from '../../program/context.ts';
import { inOrder } from './events.ts';
import { filesOfSources, namedFiles, sourcesOf } from './files.ts';
import { fileEvents, journalEvents, type LogOptions } from './logs.ts';
import type { BansResult } from './result.ts';

export interface BansOptions {
  readonly log: readonly string[];
  readonly config?: string;
  readonly journal?: boolean;
}

const defaultConfig = 'tcp-guard.yaml';

/** @throws UsageError for a policy or a file of formats that does not load */
function orRefuse<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError((error as Error).message, { code: 'bad_source', hint: 'tcp-guard --check -c lists all' });
  }
}

/** @throws UsageError when there is nothing to read */
function refuseNothing(count: number): void {
  if (count > 0) return;
  throw new UsageError('no log of the sources of intake exists', {
    code: 'no_source',
    hint: 'name logs after the options, or read the journal with --journal',
  });
}

/** @throws UsageError when no file is named, and the working directory has none */
function configFile(named: string | undefined, { cwd }: Context): string {
  if (named !== undefined || existsSync(resolve(cwd, defaultConfig))) return named ?? defaultConfig;
  throw new UsageError(`there is no ${defaultConfig} here`, {
    code: 'file_absent',
    hint: 'pass one, such as -c /etc/guard/tcp-guard.yaml',
  });
}

export async function replayBans(options: BansOptions, context: Context): Promise<BansResult> {
  const path = configFile(options.config, context);
  const { journal = false } = options;
  refuseStdinTwice([...options.log, path]);
  const { name, bytes } = await readSource(path, context);
  const loaded = loadDaemon(bytes, name);
  if (!loaded.ok) throw new ConfigError(loaded);
  const config = loaded.value;
  const log = namedLogs(options.log, context, (file) => sourcesOf(file, config, context).length > 0);
  refuseRepeatedFiles(log, context);
  const files = log.length > 0 ? namedFiles(log, config, context) : filesOfSources(config);
  refuseNothing(files.length + Number(journal));
  const formats = orRefuse(() => readFormats(config));
  const problems: string[] = [];
  let undated = 0;
  const rehearsal = new Rehearsal(config);
  const logOptions: LogOptions = {
    readings: config.intake.map((source) => orRefuse(() => readingOf(source, formats))),
    rehearsal,
    onProblem: (text) => problems.push(text),
    onUndated: () => {
      undated += 1;
    },
  };
  const logs = files.map((file) => fileEvents(file, logOptions, context));
  if (journal) logs.push(journalEvents(config, logOptions, context));
  await inOrder(logs, ({ source, sightings, at }) => rehearsal.add(source, sightings, at));
  return {
    ...{ type: 'bans', config: name, sources: rehearsal.sources(), banned: rehearsal.clients() },
    ...{ spared: rehearsal.spared(), undated, problems, notices: edgeNotices(rehearsal.frequentClients()) },
  };
}
