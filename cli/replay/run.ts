/** `guardcli replay`: evaluates the requests of access logs while it reads them. */
import { resolve } from 'node:path';
import { readsBodies } from '../../contract/policy/exploits.ts';
import { headerTargets } from '../../contract/policy/headers.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { edgeNotices } from '../../contract/values/edges.ts';
import type { Verdict } from '../../engine/index.ts';
import { evaluatorOf } from '../../logs/access/evaluator.ts';
import { type FormatName, formatNames } from '../../logs/access/formats.ts';
import type { LoggedRequest } from '../../logs/access/request.ts';
import { UsageError } from '../../platform/errors.ts';
import { printable } from '../../platform/escape.ts';
import { replayBounds } from '../counting/bounds.ts';
import { policyFor } from '../evaluate/policy.ts';
import { nameOf, readLines, refuseRepeatedFiles } from '../input/log-lines.ts';
import { namedLogs } from '../input/rotated.ts';
import { refuseStdinTwice, stdinName } from '../input/source.ts';
import { statOf } from '../input/stat.ts';
import type { Context } from '../program/context.ts';
import { LogReader } from './file.ts';
import type { BlockedRequest, LogCounts, ReplayResult } from './result.ts';
import { ReplayTally } from './tally.ts';

export interface ReplayOptions {
  readonly log: readonly string[];
  readonly config?: string;
  readonly format?: FormatName;
  readonly host?: string;
}

export interface Progress {
  readonly file: string;
  readonly lines: number;
  readonly bytes: number;
  /** Bytes of all files; 0 when unknown. */
  readonly ofBytes: number;
  readonly elapsedMs: number;
}

/** The results since the previous step. */
export interface ReplayStep {
  readonly blocked: readonly BlockedRequest[];
  readonly progress?: Progress;
  /** Present in the last step. */
  readonly result?: ReplayResult;
}

/** Returns the bytes of all files, or 0 when one is not a regular file. */
function sizeOf(files: readonly string[], { cwd }: Context): number {
  const stats = files.map((file) => (file === stdinName ? undefined : statOf(resolve(cwd, file))));
  return stats.every((stat) => stat?.isFile()) ? stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0) : 0;
}

/** Measures progress. `step` returns it at most once in `progressMs`. */
function createProgress(files: readonly string[], context: Context) {
  const [start, ofBytes] = [context.now(), sizeOf(files, context)];
  let [last, bytes, lines] = [start, 0, 0];
  return {
    onRead: (count: number) => {
      bytes += count;
    },
    step(file: string, count: number): Progress | undefined {
      lines += count;
      const now = context.now();
      if (now - last < replayBounds.progressMs) return undefined;
      last = now;
      return { file, lines, bytes, ofBytes, elapsedMs: now - start };
    },
  };
}

function blockedOf(file: string, line: number, logged: LoggedRequest, verdict: Verdict): BlockedRequest {
  const { method, host = null, target, address = null, status, referrer = null } = logged;
  const { reason, rule, candidate, target: part } = verdict;
  return {
    ...{
      type: 'blocked',
      file,
      line,
      request: { method, host, target, address, status: status || null, referrer },
      reason,
    },
    ...(rule !== undefined && { rule }),
    ...(part !== undefined && { target: part }),
    ...(candidate !== undefined && { candidate }),
  };
}

function notInLogs(policy: Policy, files: readonly LogCounts[]): ReplayResult['notInLogs'] {
  const { exploits, checkHeaders, rules } = policy;
  const readsHeaders = exploits === 'all' || checkHeaders.length > 0 || headerTargets(rules).length > 0;
  const lackHeaders = readsHeaders && files.some(({ format }) => format !== 'caddy');
  return [...(readsBodies(policy) ? (['bodies'] as const) : []), ...(lackHeaders ? (['headers'] as const) : [])];
}

/** What a file may be instead of an access log, by the start of a line. */
const otherFiles: readonly { readonly start: RegExp; readonly hint: string }[] = [
  { start: /^\{\s*"type":\s*"guard_/, hint: 'it is an event of a gateway: guardcli dashboard report reads such files' },
  {
    start: /^(?:PK\x03\x04|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd)/,
    hint: 'only gzip is decompressed: pipe others in, as in xz -dc access.log.xz | guardcli replay -',
  },
];

const unknownHint =
  `known formats are ${formatNames.join(', ')}; name one with --format, or log requests in one of them. ` +
  'Logs of sshd, mail and other servers: guardcli replay --bans';

/** @throws UsageError when a file has unreadable lines, and no file has a known format */
function refuseUnknown(files: readonly LogCounts[]): void {
  const unknown = files.find(({ format, unreadable }) => format === null && unreadable > 0);
  if (!unknown || files.some(({ format }) => format !== null)) return;
  const { line, text } = unknown.firstUnreadable ?? { line: 0, text: '' };
  const { hint = unknownHint } = otherFiles.find(({ start }) => start.test(text)) ?? {};
  throw new UsageError(`no line of ${unknown.name} is in a known format; line ${line} is: ${printable(text)}`, {
    code: 'unknown_format',
    hint,
  });
}

export async function* replay(options: ReplayOptions, context: Context): AsyncGenerator<ReplayStep, ReplayResult> {
  const { config, format, host } = options;
  const files = namedLogs(options.log, context);
  refuseStdinTwice([...files, config]);
  refuseRepeatedFiles(files, context);
  const { policy, name } = await policyFor({ ...(config !== undefined && { config }) }, context);
  const evaluate = evaluatorOf(policy);
  const tally = new ReplayTally();
  const progress = createProgress(files, context);
  const counts: LogCounts[] = [];
  for (const file of files) {
    const reader = new LogReader(nameOf(file), format, host);
    const pieces = readLines(file, replayBounds.lineBytes, context, progress.onRead);
    let piece = await pieces.next();
    for (; !piece.done; piece = await pieces.next()) {
      const blocked: BlockedRequest[] = [];
      for (const line of piece.value) {
        const logged = reader.read(line);
        if (!logged) continue;
        const verdict = evaluate(logged, tally.assumedHost(logged));
        tally.add(logged, verdict);
        if (verdict.verdict === 'allowed') continue;
        const one = blockedOf(nameOf(file), line.number, logged, verdict);
        tally.addBlocked(one);
        blocked.push(one);
      }
      const shown = progress.step(nameOf(file), piece.value.length);
      yield { blocked, ...(shown && { progress: shown }) };
    }
    counts.push(reader.counts(piece.value));
  }
  refuseUnknown(counts);
  const result: ReplayResult = {
    ...{ type: 'summary', policy: name, mode: policy.mode, files: counts, ...tally.result() },
    notices: edgeNotices(tally.frequentClients(), policy.trustedProxies),
    applications: tally.applications.without(policy),
    notInLogs: notInLogs(policy, counts),
  };
  yield { blocked: [], result };
  return result;
}
