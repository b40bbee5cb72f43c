/** Converts cases of a suite to probes, and reports of probes to results of cases. */
import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '../../contract/policy/schema.ts';
import type { Finding } from '../evaluate/evaluator.ts';
import type { LoadedPolicy } from '../input/policy.ts';
import type { Probe, ProbeRequest, Skipped } from '../probes/probe.ts';
import { type ProbeSet, splitRows } from '../probes/probe-set.ts';
import { createReport, type ProbeReport, type ProbeResult } from '../probes/report.ts';
import type { Outcome, Setting } from '../probes/setting.ts';
import { skipReasonOf } from '../probes/sources/vectors.ts';
import type { Context } from '../program/context.ts';
import type { Case, LoadedSuite } from './case.ts';
import { type Difference, differencesOf, type Got, gotOf } from './compare.ts';
import { selectCases } from './only.ts';
import { readSuite } from './read.ts';
import { type CaseResult, countsOf, type SuiteResult } from './result.ts';
import { shownCase } from './run.ts';

/** Reads a suite for probes. @throws UsageError, ConfigError */
export async function loadCases(
  file: string,
  only: readonly string[] | undefined,
  server: LoadedPolicy,
  context: Context,
): Promise<CaseProbes> {
  const loaded = selectCases(await readSuite({ file, config: server }, context), only);
  return caseProbes(loaded, { policy: server.policy, isProxyKnown: true });
}

export interface CaseProbes {
  /**
   * Returns the probes of the cases. Call it first: it computes the verdicts of the policy, which `checked` and
   * `result` use.
   */
  readonly probeSet: (setting: Setting) => ProbeSet;
  /** Returns the report, in which cases also fail when their expectation differs from the verdict of the policy. */
  readonly checked: (report: ProbeReport) => ProbeReport;
  /** Returns the result of the cases. @param server the tested address */
  readonly result: (report: ProbeReport, server: string) => SuiteResult;
}

export interface ServerPolicy {
  readonly policy: Policy;
  /** True when a host model predicts which requests the proxy refuses. */
  readonly isProxyKnown: boolean;
}

const source = 'case';
const idOf = (index: number): string => `${source}:${index}`;

const isHost = ([name]: readonly [string, string]): boolean => name.toLowerCase() === 'host';

/** Returns the request of a case. Sends the address of the case as X-Forwarded-For. */
function requestFor({ request }: Case, { clientHeaders }: Setting): ProbeRequest {
  const { method, target, ip, host, body } = request;
  const client = ip === undefined ? clientHeaders : [['X-Forwarded-For', ip] as const];
  return {
    ...{ method, target, headers: [...request.headers.filter((header) => !isHost(header)), ...client] },
    ...(body !== undefined && { body }),
    ...(host !== undefined && { host }),
  };
}

function caseSkipReason(one: Case, { isTrusted }: Setting, server: ServerPolicy): string | undefined {
  const { ip, target, headers } = one.request;
  if (!isDeepStrictEqual(one.policy.policy, server.policy)) return 'it is for another policy than the server runs';
  if (one.expect.verdict === 'refused' && !server.isProxyKnown) return 'verdict refused needs --proxy';
  if (ip !== undefined && !isTrusted) return 'its ip cannot be sent: trustedProxies does not contain this machine';
  return skipReasonOf({ ...one.request, headers: headers.filter((header) => !isHost(header)) }, target);
}

function findingOf(outcome: Outcome): Finding {
  if (outcome.kind === 'refused') return { verdict: 'refused', reason: 'refused_by_proxy', status: outcome.status };
  return outcome.verdict;
}

interface Expected {
  readonly got: Got;
  readonly differences: readonly Difference[];
}

export function caseProbes({ name, cases }: LoadedSuite, server: ServerPolicy): CaseProbes {
  const expected = new Map<string, Expected>();

  const probeOf = (one: Case, index: number, setting: Setting): Probe | Skipped => {
    const id = idOf(index);
    const reason = caseSkipReason(one, setting, server);
    if (reason !== undefined) return { id, source, reason };
    const request = requestFor(one, setting);
    const got = gotOf(findingOf(setting.outcome(request)), server.policy);
    expected.set(id, { got, differences: differencesOf(one.expect, got) });
    const { verdict, status } = one.expect;
    const isPassed = (verdict ?? got.verdict) === 'allowed' && status !== undefined;
    return { id, source, description: one.name, requests: [request], ...(isPassed && { status }) };
  };

  const isAsExpected = ({ id }: ProbeResult): boolean => expected.get(id)?.differences.length === 0;

  const caseResult = (one: Case, row: ProbeResult | Skipped | undefined): CaseResult => {
    const shown = shownCase(one);
    if (!row || 'reason' in row) return { ...shown, status: 'skipped', reason: row?.reason ?? 'it was not sent' };
    const { problems, repeat } = row;
    const details = expected.get(row.id);
    if (row.ok) return { ...shown, status: 'passed', ...(details && { got: details.got }) };
    return {
      ...{ ...shown, status: 'failed', ...details },
      ...(problems.length > 0 && { problems }),
      ...(repeat !== undefined && { repeat }),
    };
  };

  return {
    probeSet: (setting) => splitRows(cases.map((one, index) => probeOf(one, index, setting))),
    checked: ({ results, skipped, milliseconds }) => {
      const rows = results.map((result) => ({ ...result, ok: result.ok && isAsExpected(result) }));
      return createReport(rows, skipped, milliseconds, [source]);
    },
    result: (report, address) => {
      const rows = new Map([...report.results, ...report.skipped].map((row) => [row.id, row]));
      const results = cases.map((one, index) => caseResult(one, rows.get(idOf(index))));
      const counts = countsOf(results, cases.length);
      const { ok, milliseconds } = report;
      return { suite: name, server: address, ok, counts, results, milliseconds };
    },
  };
}
