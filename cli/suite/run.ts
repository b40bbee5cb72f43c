import { setImmediate as turn } from 'node:timers/promises';
import { compile } from '../../engine/index.ts';
import { type Evaluate, evaluatorFor } from '../evaluate/evaluator.ts';
import type { Context } from '../program/context.ts';
import type { ProxyTarget } from '../targets/table.ts';
import type { Case, LoadedSuite, SuitePolicy } from './case.ts';
import { differencesOf, gotOf } from './compare.ts';
import { type PolicyRecorder, recordCoverage } from './coverage.ts';
import { type CaseResult, type CoverageResult, countsOf, type SuiteResult } from './result.ts';

export interface RunOptions {
  readonly proxy: ProxyTarget | undefined;
  readonly failFast: boolean;
  readonly coverage: boolean;
  readonly minCoverage: number | undefined;
}

interface Evaluator {
  readonly evaluate: Evaluate;
  readonly recorder: PolicyRecorder | undefined;
}

/** The parts of a result that do not depend on the outcome. */
export function shownCase({ name, file, position, policy, request, expect }: Case) {
  const { method, target } = request;
  return { name, file, ...position(), policy: policy.name, request: { method, target }, expected: expect };
}

const needsProxyMessage = 'verdict refused needs a proxy: pass --proxy, or run the suite against a sandbox';

function runCase(one: Case, { evaluate, recorder }: Evaluator, proxy: ProxyTarget | undefined): CaseResult {
  const shown = shownCase(one);
  if (one.expect.verdict === 'refused' && !proxy) return { ...shown, status: 'skipped', reason: needsProxyMessage };
  const finding = evaluate(one.request);
  const received = finding.proxy?.received ?? one.request.target;
  if (finding.verdict !== 'refused') recorder?.add({ ...one.request, target: received }, finding);
  const got = gotOf(finding, one.policy.policy);
  const differences = differencesOf(one.expect, got);
  return differences.length === 0
    ? { ...shown, status: 'passed', got }
    : { ...shown, status: 'failed', got, differences };
}

function coverageOf(evaluators: Iterable<Evaluator>, least: number | undefined): CoverageResult {
  const policies = [...evaluators].flatMap(({ recorder }) => recorder?.result() ?? []);
  const ok = least === undefined || policies.every(({ percent }) => percent >= least);
  return { ok, ...(least !== undefined && { least }), policies };
}

/** Cases that run without a pause. Signals are handled between two turns of the event loop. */
const casesPerTurn = 1000;

/** Runs the cases. @throws the reason of the signal when it is aborted */
export async function runCases(
  { name, cases }: LoadedSuite,
  { proxy, failFast, coverage, minCoverage }: RunOptions,
  { now, signal }: Context,
): Promise<SuiteResult> {
  const started = now();
  const isCovered = coverage || minCoverage !== undefined;
  const evaluators = new Map<SuitePolicy, Evaluator>();
  for (const policy of new Set(cases.map((one) => one.policy))) {
    const recorder = isCovered ? recordCoverage(policy) : undefined;
    const guard = recorder?.guard ?? compile(policy.policy);
    evaluators.set(policy, { evaluate: await evaluatorFor(policy.policy, proxy, guard), recorder });
  }
  const results: CaseResult[] = [];
  for (const one of cases) {
    if (results.length % casesPerTurn === 0) await turn();
    signal.throwIfAborted();
    const result = runCase(one, evaluators.get(one.policy) as Evaluator, proxy);
    results.push(result);
    if (failFast && result.status === 'failed') break;
  }
  const counts = countsOf(results, cases.length);
  const covered = isCovered ? coverageOf(evaluators.values(), minCoverage) : undefined;
  return {
    suite: name,
    ...(proxy && { proxy: proxy.name }),
    ok: counts.failed === 0 && counts.passed > 0 && covered?.ok !== false,
    ...{ counts, results },
    ...(covered && { coverage: covered }),
    milliseconds: now() - started,
  };
}
