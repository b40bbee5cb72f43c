import { printable, readable } from '../../../platform/escape.ts';
import { suiteFile } from '../../policy/init/ci.ts';
import { counted } from '../../program/counted.ts';
import { wrap } from '../../program/help.ts';
import type { PolicyCoverage, RuleCoverage } from '../../suite/coverage.ts';
import type { CaseResult, SuiteResult } from '../../suite/result.ts';
import { Text } from '../../views/drawing.tsx';
import { type Line, type Pane, styledLine } from '../draw/lines.tsx';
import type { RuleInfo } from '../rules.ts';
import type { PolicyState } from './state.ts';

const marks = {
  hit: ['green', '●', 'a case hits it'],
  near_miss: ['yellow', '◐', 'another rule decides its cases'],
  never: ['', '○', 'no case reaches it'],
} as const satisfies Record<RuleCoverage['state'], readonly [string, string, string]>;

function coverageIn({ suite, file }: PolicyState): PolicyCoverage | undefined {
  const { coverage } = typeof suite === 'object' ? suite : {};
  return coverage?.policies.find(({ policy }) => policy === file.name);
}

export function coverageMarks(state: PolicyState): ReadonlyMap<string, Line> {
  const rules = coverageIn(state)?.rules ?? [];
  return new Map(
    rules.map(({ id, state: reached }) => {
      const [color, mark] = marks[reached];
      return [
        id,
        <Text key={id} color={color}>
          {` ${mark}`}
        </Text>,
      ];
    }),
  );
}

function failureLines({ name, got, expected, request }: CaseResult): Line[] {
  const wanted = [expected.verdict, expected.rule].filter((one) => one !== undefined).join(' by ');
  return [
    styledLine(`✖ ${readable(name)}`, { color: 'red' }),
    `  ${printable(`${request.method} ${request.target}`)}`,
    `  expected ${readable(wanted)}, got ${readable([got?.verdict, got?.rule].filter(Boolean).join(' by '))}`,
  ];
}

function resultLines({ counts, results }: SuiteResult): Line[] {
  const { passed, failed, skipped } = counts;
  return [
    <Text key="counts">
      <Text color="green">{`${passed} passed`}</Text>
      {failed > 0 && <Text color="red">{`, ${failed} failed`}</Text>}
      {skipped > 0 && `, ${skipped} skipped`}
    </Text>,
    ...results.filter(({ status }) => status === 'failed').flatMap(failureLines),
  ];
}

function coverageLines({ rules, percent }: PolicyCoverage, rule: RuleInfo | undefined): Line[] {
  const counts = Object.entries(marks).map(([state, [color, mark, meaning]]) => {
    const count = rules.filter((one) => one.state === state).length;
    return (
      <Text key={state}>
        <Text color={color}>{mark}</Text>
        {` ${String(count).padStart(4)}  ${meaning}`}
      </Text>
    );
  });
  const selected = rules.find(({ id }) => id === rule?.id);
  const own = selected === undefined ? [] : [`${printable(selected.id)}: ${marks[selected.state][2]}`];
  const exceptions = rules.filter(({ kind }) => kind === 'exception').length;
  const others = exceptions === 0 ? '' : ` and ${counted(exceptions, 'exception')}`;
  return [`${percent} % of ${counted(rules.length - exceptions, 'rule')}${others} hit`, ...counts, '', ...own, ''];
}

export function suitePane(state: PolicyState, rule: RuleInfo | undefined, width: number): Pane {
  const { suite } = state;
  const title = `Cases of ${suiteFile}`;
  if (suite === undefined) {
    const text = `no ${suiteFile} here: guardcli init writes one, and its coverage of the rules is shown here`;
    return { title, lines: wrap(text, width) };
  }
  if (typeof suite === 'string')
    return {
      title,
      lines: suite
        .split('\n')
        .flatMap((part) => wrap(readable(part), width))
        .map((line) => styledLine(line, { color: 'red' })),
    };
  const coverage = coverageIn(state);
  return { title, lines: [...(coverage ? coverageLines(coverage, rule) : []), ...resultLines(suite)] };
}
