import { readable } from '../../../platform/escape.ts';
import { counted } from '../../program/counted.ts';
import type { Paint } from '../../program/paint.ts';
import { type Row, table } from '../../program/table.ts';
import { coverageKinds, type PolicyCoverage, percentOf } from '../coverage.ts';
import type { CaseResult, SuiteResult } from '../result.ts';
import { countsText, failureCauses, labelerFor, placeText, policyName, requestText, suiteProblems } from './words.ts';

/** Maximum number of failures that are printed. */
const shownFailures = 50;
/** Maximum characters of a printed command line. A longer one is omitted. */
const longestCommandLine = 4000;

function failureText(result: CaseResult, label: string, paint: Paint): string {
  const again =
    result.repeat !== undefined && result.repeat.length <= longestCommandLine ? [`  again  ${result.repeat}`] : [];
  return [
    `${paint('red', 'FAILED')} ${paint('bold', label)}`,
    `  ${placeText(result)}`,
    `  ${requestText(result)}`,
    ...failureCauses(result).map((cause) => `  ${cause}`),
    ...again,
  ].join('\n');
}

function failuresText(result: SuiteResult, paint: Paint): string[] {
  const label = labelerFor(result);
  const failures = result.results.filter(({ status }) => status === 'failed');
  const shown = failures.slice(0, shownFailures).map((one) => failureText(one, label(one), paint));
  const hidden = failures.length - shown.length;
  return [
    ...shown,
    ...(hidden > 0 ? [`... and ${counted(hidden, 'more failure')}; --reporter json has them all`] : []),
  ];
}

function skippedText({ results }: SuiteResult, paint: Paint): string[] {
  const skipped = results.filter(({ status }) => status === 'skipped');
  const byReason = Object.entries(Object.groupBy(skipped, ({ reason = '' }) => reason));
  return byReason.map(([reason, list = []]) => paint('dim', `skipped ${list.length}: ${readable(reason)}`));
}

const kindTitles = { block: 'block rules', allow: 'allow rules', exception: 'exceptions' } as const;

function coverageText({ policy, percent, rules }: PolicyCoverage, paint: Paint): string {
  const columns = ['hit', 'near_miss', 'never'] as const;
  const rows = coverageKinds.flatMap((kind): Row[] => {
    const list = rules.filter((rule) => rule.kind === kind);
    if (list.length === 0) return [];
    const [hit, near, never] = columns.map((state) => list.filter((rule) => rule.state === state).length);
    return [[kindTitles[kind], `${percentOf(hit ?? 0, list.length)} %`, `${hit}`, `${near}`, `${never}`]];
  });
  const head = ['', '', ...['hit', 'near miss', 'never'].map((name) => paint('dim', name))];
  const ids = (state: 'near_miss' | 'never') =>
    rules.filter((rule) => rule.state === state).map(({ id }) => readable(id));
  const lists = (
    [
      ['near miss', ids('near_miss')],
      ['never', ids('never')],
    ] as const
  ).filter(([, list]) => list.length > 0);
  return [
    paint('bold', `Coverage of ${policyName(policy)}: ${percent} %`),
    ...table([head, ...rows], { right: [1, 2, 3, 4] }),
    ...lists.map(([title, list]) => `  ${title}: ${list.join(', ')}`),
  ].join('\n');
}

export function suiteText(result: SuiteResult, paint: Paint): string {
  const { suite, ok, counts, coverage, proxy, server } = result;
  const verdict = ok ? paint(['bold', 'green'], 'PASSED') : paint(['bold', 'red'], 'FAILED');
  const where = server === undefined ? '' : ` on ${readable(server)}`;
  const how = proxy === undefined ? where : `${where} as ${readable(proxy)} receives it`;
  const problems = suiteProblems(result).map((problem) => paint('red', problem));
  const head = [
    `${readable(suite)}${how}: ${verdict}, ${countsText(counts)}`,
    ...problems,
    ...skippedText(result, paint),
  ];
  const covered = (coverage?.policies ?? []).map((policy) => coverageText(policy, paint));
  return [...failuresText(result, paint), ...covered, head.join('\n')].join('\n\n');
}
