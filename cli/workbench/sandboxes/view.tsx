import { printable, readable } from '../../../platform/escape.ts';
import { counted, grouped } from '../../program/counted.ts';
import { type Paint, plain } from '../../program/paint.ts';
import type { ListedSandbox } from '../../sandbox/session/listed.ts';
import { eventText } from '../../sandbox/session/text.ts';
import { Box, Text, usePaint, useScreenReader } from '../../views/drawing.tsx';
import { ProbesLine, StageLine } from '../../views/stages.tsx';
import { FieldText, type Line, Lines, offsetFor, spinner, styledLine, Title, wideColumns } from '../draw/lines.tsx';
import type { ViewProps } from '../screen.ts';
import {
  failuresOf,
  foundEvents,
  isInEvents,
  type SandboxesState,
  type SandboxRow,
  selectedEvent,
  selectedSandbox,
} from './state.ts';

const spinnerMs = 500;

function detachedText({ isRunning }: ListedSandbox, session: SandboxRow['session']): readonly [string, string] {
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
      ? ['green', `${grouped(report.counts.passed)} passed`]
      : ['red', `${grouped(report.counts.failed)} failed, ${grouped(report.counts.passed)} passed`];
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

function chunksOf(text: string, width: number): string[] {
  const size = Math.max(20, width);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

function progressLines({ session, error }: SandboxRow): Line[] {
  const lines: Line[] = session?.stages.map((stage) => <StageLine key={stage.name} stage={stage} />) ?? [];
  if (session?.buildLine !== undefined) lines.push(styledLine(`  ${readable(session.buildLine)}`, { dimColor: true }));
  if (session?.probeProgress && session.stages.at(-1)?.state === 'running')
    lines.push(<ProbesLine key="probes" progress={session.probeProgress} />);
  if (error !== undefined) lines.push(...error.split('\n').map((line) => styledLine(readable(line), { color: 'red' })));
  for (const note of session?.notes ?? []) lines.push(styledLine(readable(note), { color: 'yellow' }));
  return lines.length > 0 ? lines : ['s starts it, t sends the probe suite'];
}

function eventLines(state: SandboxesState, paint: Paint, height: number): Line[] {
  const { session } = selectedSandbox(state);
  const found = foundEvents(state);
  if (found.length === 0) return [session?.url ? `no event yet; send requests to ${session.url}` : 'no event'];
  const selected = selectedEvent(state, found);
  const start = Math.max(0, Math.min(selected - Math.floor(height / 2), found.length - height));
  return found.slice(start, start + height).map(({ number, event }, index) => (
    <Text key={number} inverse={isInEvents(state) && start + index === selected}>
      {isInEvents(state) && start + index === selected ? eventText(event, plain) : eventText(event, paint)}
    </Text>
  ));
}

function probeLines({ session, report }: SandboxRow, height: number): Line[] {
  const sent = session?.probeProgress?.latest ?? [];
  if (sent.length === 0) return [report ? 'the probes have run' : 't sends the probe suite and lists its probes here'];
  return sent.slice(-height).map(({ id, ok, request }) => (
    <Text key={id}>
      <Text color={ok ? 'green' : 'red'}>{ok ? '✔ ' : '✖ '}</Text>
      {printable(id).padEnd(28)}
      <Text dimColor>{` ${request}`}</Text>
    </Text>
  ));
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
        : chunksOf(readable(text), width - 10).map((part, index) => `${(index === 0 ? label : '').padEnd(10)}${part}`),
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
      return eventLines(state, paint, height);
    case 'failures':
      return failureLines(row, state.failure, width);
    case 'log':
      return logLines(row, height);
  }
}

/** Width of the list of sandboxes, with their states. */
const listColumns = 66;

function rowLines(state: SandboxesState): Line[] {
  const { rows, now, selected, unlisted } = state;
  const note = `   detached sandboxes are not listed: ${readable(unlisted ?? '')}`;
  return [
    ...rows.map((row, index) => rowLine(row, now, index === selected)),
    ...(unlisted === undefined ? [] : [styledLine(note, { dimColor: true })]),
  ];
}

interface Area {
  readonly state: SandboxesState;
  readonly width: number;
  readonly height: number;
}

/** `isBeside`: another area draws the progress, so this one draws the probes. */
function Details({ state, width, height, isBeside }: Area & { readonly isBeside: boolean }) {
  const paint = usePaint();
  const row = selectedSandbox(state);
  const { title, session } = row;
  const serving = session?.url === undefined || !session.isFollowing ? '' : ` on ${session.url}`;
  const filter = (
    <Text>
      <Text dimColor={!state.isFiltering}>/ </Text>
      <FieldText field={state.filter} hasFocus={state.isFiltering} width={width - 4} />
    </Text>
  );
  const head = state.details === 'events' ? [filter] : [];
  const hasProbes = isBeside && state.details === 'progress';
  const room = height - 1 - head.length;
  const lines = hasProbes ? probeLines(row, room) : detailLines(state, width, room, paint);
  const text = `${title}${serving}: ${hasProbes ? 'probes' : state.details}`;
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={[<Title key="title" text={text} width={width} />]} width={width} height={1} />
      <Lines lines={[...head, ...lines]} width={width} height={height - 1} />
    </Box>
  );
}

function WideView({ state, width, height }: Area) {
  const row = selectedSandbox(state);
  const rows = rowLines(state);
  const listed = Math.min(rows.length, Math.floor(height / 2));
  const room = height - listed;
  const progress = [<Title key="title" text={`${row.title}: progress`} width={listColumns} />, ...progressLines(row)];
  return (
    <Box width={width} height={height} columnGap={1}>
      <Box flexDirection="column" width={listColumns} height={height} flexShrink={0}>
        <Lines lines={rows} width={listColumns} height={listed} offset={offsetFor(state.selected, listed)} />
        <Lines lines={progress} width={listColumns} height={room} />
      </Box>
      <Details state={state} width={width - listColumns - 1} height={height} isBeside={true} />
    </Box>
  );
}

function NarrowView({ state, width, height }: Area) {
  const rows = rowLines(state);
  const listed = Math.min(rows.length, Math.floor(height / 2));
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={rows} width={width} height={listed} offset={offsetFor(state.selected, listed)} />
      <Details state={state} width={width} height={height - listed} isBeside={false} />
    </Box>
  );
}

export function SandboxesView({ state: { sandboxes: state }, width, height }: ViewProps) {
  const hasScreenReader = useScreenReader();
  const View = width >= wideColumns && !hasScreenReader ? WideView : NarrowView;
  return <View state={state} width={width} height={height} />;
}
