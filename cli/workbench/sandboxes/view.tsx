/** The screen Sandboxes: the targets, and details of the selected one. */

import { stripVTControlCharacters } from 'node:util';
import { Box, Text } from 'ink';
import { printable, readable } from '../../../platform/escape.ts';
import { counted } from '../../program/counted.ts';
import type { Paint } from '../../program/paint.ts';
import { eventText } from '../../sandbox/session/text.ts';
import { StageLine, SuiteLine } from '../../views/stages.tsx';
import { FieldText, type Line, Lines, offsetFor, spinner, Title } from '../lines.tsx';
import { usePaint } from '../paint.ts';
import type { ViewProps } from '../screen.ts';
import { type DetachedSandbox, failuresOf, type SandboxesState, type SandboxRow, selectedSandbox } from './state.ts';

const spinnerMs = 500;

function detachedText({ isRunning }: DetachedSandbox, session: SandboxRow['session']): readonly [string, string] {
  return isRunning
    ? ['green', `detached, ${counted(session?.eventCount ?? 0, 'event')}`]
    : ['yellow', 'detached, ended'];
}

function stateText({
  session,
  isRunning,
  report,
  error,
  detached,
}: SandboxRow): readonly [color: string, text: string] {
  if (error !== undefined) return ['red', 'failed'];
  if (detached) return detachedText(detached, session);
  if (isRunning && session?.isFollowing) return ['green', `serving, ${counted(session.eventCount, 'event')}`];
  if (isRunning) return ['cyan', session?.stages.at(-1)?.name ?? 'starting'];
  if (report)
    return report.ok
      ? ['green', `${report.counts.passed} passed`]
      : ['red', `${report.counts.failed} failed, ${report.counts.passed} passed`];
  return ['', session ? 'stopped' : 'not started'];
}

function rowLine(row: SandboxRow, now: number, isSelected: boolean): Line {
  const [color, text] = stateText(row);
  const elapsed = row.isRunning && !row.detached ? ` ${Math.max(0, Math.floor((now - row.startedAt) / 1000))} s` : '';
  const mark = row.isRunning && !row.detached ? spinner[Math.floor(now / spinnerMs) % spinner.length] : ' ';
  return (
    <Text inverse={isSelected}>
      {` ${mark} ${row.title.padEnd(10)} ${`:${row.port ?? '-'}`.padEnd(7)}`}
      <Text {...(color !== '' && { color })}>{text}</Text>
      <Text dimColor>{row.detached ? `  ${printable(row.name)}` : elapsed}</Text>
    </Text>
  );
}

/** Splits a long line so that nothing of it is hidden. */
function chunks(text: string, width: number): string[] {
  const size = Math.max(20, width);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

function progressLines({ session, error }: SandboxRow): Line[] {
  const lines: Line[] = session?.stages.map((stage) => <StageLine key={stage.name} stage={stage} />) ?? [];
  if (session?.buildLine !== undefined)
    lines.push(<Text key="build" dimColor>{`  ${readable(session.buildLine)}`}</Text>);
  if (session?.suite && session.stages.at(-1)?.state === 'running')
    lines.push(<SuiteLine key="suite" suite={session.suite} />);
  if (error !== undefined)
    lines.push(
      ...error.split('\n').map((line) => (
        <Text key={line} color="red">
          {readable(line)}
        </Text>
      )),
    );
  for (const note of session?.notes ?? [])
    lines.push(
      <Text key={note} color="yellow">
        {readable(note)}
      </Text>,
    );
  return lines.length > 0 ? lines : ['s starts it, t sends the probe suite'];
}

function eventLines({ session }: SandboxRow, filter: string, paint: Paint, height: number): Line[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const events = session?.events ?? [];
  const texts = (words.length === 0 ? events.slice(-height) : events).map(({ event }) => eventText(event, paint));
  const found = texts.filter((text) => {
    const plain = stripVTControlCharacters(text).toLowerCase();
    return words.every((word) => plain.includes(word));
  });
  if (found.length === 0) return [session?.url ? `no event yet; send requests to ${session.url}` : 'no event'];
  return found.slice(-height);
}

function failureLines(row: SandboxRow, failure: number, width: number): Line[] {
  const failures = failuresOf(row);
  const shown = failures[failure];
  if (!shown) return [row.report ? 'every probe passed' : 'no suite was sent yet; t sends it'];
  const parts: readonly (readonly [string, string | undefined])[] = [
    ['expected', shown.expected],
    ['got', shown.got],
    ['sent', shown.sent],
    ['again', shown.repeat],
  ];
  return [
    <Text key="id">
      <Text color="red">{`${failure + 1}/${failures.length} `}</Text>
      <Text bold>{printable(shown.id)}</Text>
      {`  ${readable(shown.description)}`}
    </Text>,
    ...shown.problems.map((problem) => printable(problem)),
    ...parts.flatMap(([label, text]) =>
      text === undefined
        ? []
        : chunks(readable(text), width - 10).map((part, index) => `${(index === 0 ? label : '').padEnd(10)}${part}`),
    ),
  ];
}

const logLines = ({ log }: SandboxRow, height: number): Line[] =>
  log.length === 0 ? ['the proxy wrote nothing'] : log.slice(-height).map((line) => printable(line.slice(0, 500)));

function detailLines(state: SandboxesState, width: number, height: number, paint: Paint): Line[] {
  const row = selectedSandbox(state);
  switch (state.details) {
    case 'progress':
      return progressLines(row);
    case 'events':
      return eventLines(row, state.filter.text, paint, height);
    case 'failures':
      return failureLines(row, state.failure, width);
    case 'log':
      return logLines(row, height);
  }
}

export function SandboxesView({ state: { sandboxes: state }, width, height }: ViewProps) {
  const paint = usePaint();
  const unlisted =
    state.unlisted === undefined
      ? []
      : [<Text key="unlisted" dimColor>{`   detached sandboxes are not listed: ${readable(state.unlisted)}`}</Text>];
  const rows = [...state.rows.map((row, index) => rowLine(row, state.now, index === state.selected)), ...unlisted];
  const filter = (
    <Text>
      <Text dimColor={!state.isFiltering}>/ </Text>
      <FieldText field={state.filter} hasFocus={state.isFiltering} width={width - 4} />
    </Text>
  );
  const head = state.details === 'events' ? [filter] : [];
  const listed = Math.min(rows.length, Math.floor(height / 2));
  const room = height - listed - 1 - head.length;
  const { title, session } = selectedSandbox(state);
  const serving = session?.url === undefined || !session.isFollowing ? '' : ` on ${session.url}`;
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={rows} width={width} height={listed} offset={offsetFor(state.selected, listed)} />
      <Lines
        lines={[<Title key="title" text={`${title}${serving}: ${state.details}`} width={width} />]}
        width={width}
        height={1}
      />
      <Lines lines={[...head, ...detailLines(state, width, room, paint)]} width={width} height={room + head.length} />
    </Box>
  );
}
