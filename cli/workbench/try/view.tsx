import { useMemo } from 'react';
import { statusOf } from '../../../contract/policy/modes.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { TracedCandidate, Verdict } from '../../../engine/index.ts';
import { printable, readable } from '../../../platform/escape.ts';
import { wrap } from '../../program/help.ts';
import { Box, Text, useScreenReader } from '../../views/drawing.tsx';
import {
  FieldText,
  type Line,
  Lines,
  lastOffset,
  type Pane,
  Panes,
  styledLine,
  Title,
  wideColumns,
} from '../draw/lines.tsx';
import { ruleLines } from '../draw/rule-lines.tsx';
import { ruleInfos } from '../rules.ts';
import type { Area, ViewProps } from '../screen.ts';
import type { State } from '../state.ts';
import { changedParts } from './changed.ts';
import { explainTrace } from './explain.ts';
import { type Outcome, outcomeOf, type ProxyVerdict } from './outcome.ts';
import { recentLines } from './recent-lines.tsx';
import { type FieldName, fieldNames, type TryState } from './state.ts';

const fieldLabels: Readonly<Record<FieldName, string>> = {
  method: 'Method',
  path: 'Path',
  query: 'Query',
  headers: 'Headers',
  body: 'Body',
  address: 'Address',
};
const labelWidth = 9;

/** Drawn characters of a candidate, pattern or target. */
const shownCharacters = 400;
const cutText = (text: string): string => printable(text.slice(0, shownCharacters));

function fieldLine(state: TryState, name: FieldName, width: number): Line {
  const hasFocus = state.focus === name;
  return (
    <Text>
      <Text {...(hasFocus ? { color: 'cyan', bold: true } : { dimColor: true })}>
        {(hasFocus ? '▸ ' : '  ') + fieldLabels[name].padEnd(labelWidth)}
      </Text>
      <FieldText field={state.fields[name]} hasFocus={hasFocus} width={width - labelWidth - 2} />
    </Text>
  );
}

function verdictLine({ verdict, reason, target, rule }: Verdict, policy: Policy): Line {
  const isBlocked = verdict === 'blocked';
  const how = isBlocked ? ` ${statusOf(policy.response) ?? policy.response.mode}` : '';
  return (
    <Text>
      <Text bold color={isBlocked ? 'red' : 'green'}>
        {isBlocked ? `✖ BLOCKED${how}` : '✔ ALLOWED'}
      </Text>
      {isBlocked && policy.mode === 'detect' && <Text color="yellow"> only reported</Text>}
      {`  ${reason}`}
      {target !== undefined && `  ${printable(target)}`}
      {rule !== undefined && <Text bold>{`  ${printable(rule)}`}</Text>}
    </Text>
  );
}

function proxyVerdictLine({ title, received, backend, status, verdict }: ProxyVerdict): Line {
  const name = <Text dimColor>{title.padEnd(labelWidth)}</Text>;
  if (received === undefined || verdict === undefined) {
    return (
      <Text>
        {name}
        <Text color="yellow">{`refuses it itself with ${status}`}</Text>
      </Text>
    );
  }
  const isBlocked = verdict.verdict === 'blocked';
  return (
    <Text>
      {name}
      <Text color={isBlocked ? 'red' : 'green'}>{isBlocked ? '✖ ' : '✔ '}</Text>
      {`guard ${cutText(received)}`}
      {isBlocked ? (
        <Text color="red">{`  ${printable(verdict.rule ?? verdict.reason)}`}</Text>
      ) : (
        `  backend ${cutText(backend ?? '')}`
      )}
    </Text>
  );
}

function candidateLine(traced: TracedCandidate, before: string | undefined): Line {
  const text = cutText(traced.candidate) || '(empty)';
  const [start, changed, end] = before === undefined ? [text, '', ''] : changedParts(before, text);
  const rule = traced.blockedBy ?? traced.excusedBy;
  const color = traced.blockedBy === undefined ? 'green' : 'red';
  return (
    <Text>
      {rule === undefined ? '  ' : <Text color={color}>{traced.blockedBy === undefined ? '✔ ' : '✖ '}</Text>}
      {start}
      {changed !== '' && (
        <Text color="yellow" bold underline>
          {changed}
        </Text>
      )}
      {end}
      {rule !== undefined && <Text color={color}>{`  ${printable(rule)}`}</Text>}
      {traced.excepted?.map((id) => styledLine(`  ${printable(id)} excepted`, { color: 'yellow' }))}
    </Text>
  );
}

function candidatePane({ trace }: Extract<Outcome, { kind: 'traced' }>): Pane {
  const lines = trace.targets.flatMap(({ target, candidates, limit }): Line[] => [
    styledLine(`${cutText(target)} (${candidates.length})`, { dimColor: true }),
    ...candidates.map((traced, index) =>
      candidateLine(traced, index === 0 ? undefined : cutText(candidates[index - 1]?.candidate ?? '')),
    ),
    ...(limit === undefined ? [] : [styledLine(`  stopped by ${limit}`, { color: 'yellow' })]),
  ]);
  return { title: 'Candidates', lines };
}

function rulePane(verdict: Verdict, policy: Policy, width: number): Pane {
  const info = verdict.rule === undefined ? undefined : ruleInfos(policy).get(verdict.rule);
  return {
    title: 'Rule',
    lines: info ? ruleLines(info, width) : [styledLine('no rule decided', { dimColor: true })],
  };
}

function tracePane(outcome: Extract<Outcome, { kind: 'traced' }>, policy: Policy, width: number): Pane {
  const steps = explainTrace(outcome.trace, policy).flatMap((step, index) =>
    wrap(`${index + 1}. ${step}`, width).map((line, part) => (part === 0 ? line : `   ${line}`)),
  );
  const notes = outcome.notes.flatMap((note) => wrap(`note: ${note}`, width));
  return { title: 'Why', lines: [...steps, ...notes] };
}

function panesOf(outcome: Extract<Outcome, { kind: 'traced' }>, policy: Policy, width: number): readonly Pane[] {
  const each = Math.floor(width / (width >= wideColumns ? 3 : 2)) - 2;
  const traceLines = tracePane(outcome, policy, each);
  const rule = rulePane(outcome.trace.verdict, policy, each);
  const candidates = candidatePane(outcome);
  if (width >= wideColumns) return [candidates, traceLines, rule];
  return [
    candidates,
    { title: 'Why', lines: [...traceLines.lines, <Title key="rule" text="Rule" width={each} />, ...rule.lines] },
  ];
}

interface Content {
  readonly head: readonly Line[];
  /** Empty when the request is invalid. */
  readonly panes: readonly Pane[];
}

function contentOf(
  outcome: Outcome,
  { try: state, policy: { policy } }: State,
  width: number,
  formWidth = width,
): Content {
  const form = fieldNames.map((name) => fieldLine(state, name, formWidth));
  if (outcome.kind === 'invalid') {
    const message = [styledLine(readable(outcome.message), { color: 'red' }), readable(outcome.hint)];
    return { head: [...form, '', ...message], panes: [] };
  }
  const { trace, proxyVerdicts } = outcome;
  const head = [...form, verdictLine(trace.verdict, policy), ...proxyVerdicts.map(proxyVerdictLine)];
  return { head, panes: panesOf(outcome, policy, width) };
}

/** The greatest offset of the panes that has an effect. */
export function lastTryOffset(state: State, { width, height, hasScreenReader }: Area): number {
  const { head, panes } = contentOf(outcomeOf(state.try, state.policy.policy), state, width);
  return lastOffset(panes, { height: height - head.length, hasScreenReader });
}

export function TryView({ state, width, height }: ViewProps) {
  const { fields, hosts, offset } = state.try;
  const { policy } = state.policy;
  const outcome = useMemo(() => outcomeOf({ fields, hosts }, policy), [fields, hosts, policy]);
  const hasScreenReader = useScreenReader();
  const isWide = width >= wideColumns && !hasScreenReader;
  const formWidth = isWide ? Math.floor(width / 2) : width;
  const { head, panes } = contentOf(outcome, state, width, formWidth);
  const headHeight = panes.length === 0 ? height : head.length;
  const beside = { policy, opened: state.try.opened, width: width - formWidth - 1, height: headHeight };
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Box width={width} height={headHeight} columnGap={1}>
        <Lines lines={head} width={formWidth} height={headHeight} />
        {isWide && (
          <Lines lines={recentLines(state.recent.requests, beside)} width={beside.width} height={headHeight} />
        )}
      </Box>
      {panes.length > 0 && <Panes panes={panes} width={width} height={height - headHeight} offset={offset} />}
    </Box>
  );
}
