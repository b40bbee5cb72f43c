import { useMemo } from 'react';
import type { Problem } from '../../../contract/load/problem.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { printable, readable } from '../../../platform/escape.ts';
import { counted } from '../../program/counted.ts';
import { summarize } from '../../validate/policy.ts';
import { policyRows } from '../../validate/text.ts';
import { Box, Text } from '../../views/drawing.tsx';
import { FieldText, type Line, Lines, lastOffset, type Pane, Panes, styledLine, wideColumns } from '../draw/lines.tsx';
import { ruleLines } from '../draw/rule-lines.tsx';
import { guardOf } from '../guards.ts';
import type { RecentRequest } from '../recent.ts';
import type { RuleInfo } from '../rules.ts';
import type { Area, ViewProps } from '../screen.ts';
import type { State } from '../state.ts';
import { type DiffLine, lineDiff } from './line-diff.ts';
import { foundRules, type PolicyFileState, type PolicyState } from './state.ts';
import { coverageMarks, suitePane } from './suite-lines.tsx';
import { switchOff } from './switch-off.ts';

function problemLine({ line, column, path, message, hint }: Problem, color: string): Line {
  return (
    <Text key={`${line}:${column}:${path}`}>
      <Text color={color}>{`${line}:${column}`.padEnd(8)}</Text>
      <Text bold>{path && `${readable(path)} `}</Text>
      {readable(message)}
      {hint !== undefined && <Text dimColor>{` (${readable(hint)})`}</Text>}
    </Text>
  );
}

function statusLine({ name, problems, omitted, warnings, unreadable }: PolicyFileState): Line {
  if (name === null) return <Text>no guard.json here: the defaults apply until there is one</Text>;
  if (unreadable !== undefined)
    return <Text color="red">{`${readable(unreadable)}; the last valid policy applies`}</Text>;
  if (problems.length > 0) {
    const count = counted(problems.length + omitted, 'problem');
    return <Text color="red">{`${readable(name)}: ${count}; the last valid policy applies`}</Text>;
  }
  const remarks = warnings.length === 0 ? '' : `, ${counted(warnings.length, 'warning')}`;
  return <Text color="green">{`${readable(name)}: valid${remarks}`}</Text>;
}

/** Maximum number of listed problems: a terminal of 24 lines also shows rules below them. */
const shownProblems = 6;

function headLines({ file, policy }: PolicyState): Line[] {
  const summary = policyRows(summarize(policy)).map(([key, value]) => `${key} ${value}`);
  const problems = file.problems.map((one) => problemLine(one, 'red'));
  const warnings = file.warnings.map((one) => problemLine(one, 'yellow'));
  const all = [...problems, ...warnings];
  const hidden = all.length - shownProblems;
  const more =
    hidden > 0 ? [styledLine(`... and ${hidden} more; the command below lists them`, { dimColor: true })] : [];
  return [
    statusLine(file),
    styledLine(summary.join(' · '), { dimColor: true }),
    ...all.slice(0, shownProblems),
    ...more,
  ];
}

function ruleLine({ id, action }: RuleInfo, isSelected: boolean, hits: number, mark: Line): Line {
  return (
    <Text inverse={isSelected}>
      <Text color={action === 'block' ? 'red' : 'green'}>{action === 'block' ? '✖ ' : '✔ '}</Text>
      {printable(id).padEnd(24)}
      {mark}
      {hits > 0 && <Text bold>{` ${counted(hits, 'hit')}`}</Text>}
    </Text>
  );
}

const diffSigns = { same: [' ', {}], removed: ['-', { color: 'red' }], added: ['+', { color: 'green' }] } as const;

const diffLine = ({ kind, text }: DiffLine): Line => {
  const [sign, style] = diffSigns[kind];
  return <Text {...style}>{`${sign} ${readable(text.slice(0, 400))}`}</Text>;
};

/** Returns recent requests for which another policy has another verdict or rule. */
function affectedRequests(requests: readonly RecentRequest[], policy: Policy, other: Policy) {
  return requests.flatMap((recent) => {
    const before = guardOf(policy).evaluate(recent.request);
    const after = guardOf(other).evaluate(recent.request);
    if (before.verdict === after.verdict && before.rule === after.rule) return [];
    return [{ recent, before: before.verdict, after: after.verdict, rule: after.rule }];
  });
}

function offLines({ policy: state, recent }: State, rule: RuleInfo): Line[] {
  const change = switchOff(state.file.text, rule);
  if (!change.ok) return [styledLine(readable(change.reason), { color: 'red' })];
  const found = affectedRequests(recent.requests, state.policy, change.policy);
  const requests = found.map(({ recent: { number, request, source }, before, after, rule: other }) => (
    <Text key={number}>
      <Text color={after === 'blocked' ? 'red' : 'green'}>
        {before === after ? `still ${after}` : `${before} → ${after}`}
      </Text>
      {` ${printable(request.method)} ${printable(request.target.slice(0, 200))}`}
      <Text dimColor>{` ${readable(source)}${other === undefined ? '' : `, ${printable(other)}`}`}</Text>
    </Text>
  ));
  const changed = found.filter(({ before, after }) => before !== after).length;
  const head = `another verdict: ${changed} of ${counted(recent.requests.length, 'recent request')}`;
  const diff = lineDiff(state.file.text, change.text).map(diffLine);
  return [styledLine(head, { bold: true }), ...requests, '', ...diff];
}

function detailPane(state: State, rule: RuleInfo | undefined, width: number): Pane {
  if (!rule) return { title: 'Rule', lines: ['no rule has these words'] };
  if (state.policy.previewedOffRuleId === rule.id)
    return { title: `Without ${printable(rule.id)}`, lines: offLines(state, rule) };
  return { title: 'Rule', lines: ruleLines(rule, width) };
}

/** Returns the first visible index with which the selected rule is visible. */
const firstShown = (selected: number, room: number): number => Math.max(0, selected - room + 2);

interface Content {
  readonly head: readonly Line[];
  readonly panes: readonly Pane[];
  /** Number of lines below the head and the search. */
  readonly room: number;
}

function contentOf(state: State, found: readonly RuleInfo[], width: number, height: number): Content {
  const selected = Math.min(state.policy.selected, found.length - 1);
  const head = headLines(state.policy);
  const room = height - head.length - 1;
  const start = firstShown(selected, room - 2);
  const covered = coverageMarks(state.policy);
  const rules = found
    .slice(start, start + room - 1)
    .map((rule, index) =>
      ruleLine(rule, start + index === selected, state.recent.hits.get(rule.id) ?? 0, covered.get(rule.id)),
    );
  const isWide = width >= wideColumns;
  const each = Math.floor(width / (isWide ? 3 : 2)) - 1;
  const list = { title: `Rules ${selected + 1}/${found.length}`, lines: rules, focus: selected - start };
  const details = detailPane(state, found[selected], each);
  return { head, room, panes: [list, details, ...(isWide ? [suitePane(state.policy, found[selected], each)] : [])] };
}

export function lastPolicyOffset(state: State, { width, height, hasScreenReader }: Area): number {
  const { panes, room } = contentOf(state, foundRules(state.policy), width, height);
  return lastOffset(panes, { height: room, hasScreenReader });
}

export function PolicyView({ state, width, height }: ViewProps) {
  const { policy, query, isSearching, offset } = state.policy;
  const found = useMemo(() => foundRules({ policy, query }), [policy, query]);
  const { head, panes, room } = contentOf(state, found, width, height);
  const search = (
    <Text key="search">
      <Text dimColor={!isSearching}>{'/ '}</Text>
      <FieldText field={query} hasFocus={isSearching} width={width - 4} />
    </Text>
  );
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={[...head, search]} width={width} height={head.length + 1} />
      <Panes panes={panes} width={width} height={room} offset={offset} />
    </Box>
  );
}
