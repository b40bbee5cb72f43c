/** The view of the sandbox command: its stages, the progress of the probes, and live events. */
import { Box, Text, useStdout, useWindowSize } from 'ink';
import { useEffect, useRef } from 'react';
import { readable } from '../../platform/escape.ts';
import type { SuiteProgress } from '../probes/run.ts';
import type { ViewProps } from '../program/command.ts';
import { counted } from '../program/counted.ts';
import type { Paint } from '../program/paint.ts';
import type { Update } from '../sandbox/session/session.ts';
import { type SessionState, type Stage, stages as titles } from '../sandbox/session/state.ts';
import { durationText, eventText, noteText } from '../sandbox/text.ts';

const barWidth = 20;

const marks = {
  running: ['cyan', '•'],
  done: ['green', '✔'],
  failed: ['red', '✖'],
  interrupted: ['yellow', '■'],
} as const satisfies Record<Stage['state'], readonly [string, string]>;

/** Outcome of a stage. A failed one is recognizable without colors. */
function outcomeText({ state, detail }: Stage): string {
  if (state === 'failed' || state === 'interrupted') return `: ${state}`;
  return detail === '' ? '' : `: ${readable(detail)}`;
}

function StageLine({ stage }: { readonly stage: Stage }) {
  const [color, mark] = marks[stage.state];
  return (
    <Text wrap="truncate">
      <Text color={color}>{mark}</Text> {titles[stage.name].title}
      {outcomeText(stage)}
      {stage.state !== 'running' && <Text dimColor> ({durationText(stage.milliseconds)})</Text>}
    </Text>
  );
}

function SuiteLine({ suite: { done, total, failed } }: { readonly suite: SuiteProgress }) {
  const filled = Math.floor((barWidth * done) / Math.max(total, 1));
  return (
    <Text wrap="truncate">
      {'  '}
      <Text color="green">{'█'.repeat(filled)}</Text>
      <Text dimColor>{'░'.repeat(barWidth - filled)}</Text> {done}/{total}
      {failed > 0 && <Text color="red"> {failed} failed</Text>}
    </Text>
  );
}

interface FrameProps {
  readonly state: SessionState;
  readonly paint: Paint;
  /** Height of the terminal in lines. */
  readonly rows: number;
}

/** Lines of a frame besides its events. One line of the terminal stays free for the cursor. */
const linesBeside = ({ stages, buildLine, suite, isInterrupted }: SessionState): number =>
  stages.length + Number(buildLine !== undefined) + Number(suite !== undefined) + Number(isInterrupted) + 4;

function Events({ state, paint, rows }: FrameProps) {
  const { url = '', events, eventCount } = state;
  const shown = events.slice(-Math.max(1, rows - linesBeside(state)));
  const count = eventCount === 0 ? 'no request was blocked yet' : `${counted(eventCount, 'event')} so far`;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold wrap="truncate">
        serving on {url}
      </Text>
      {shown.map(({ number, event }) => (
        <Text key={number} wrap="truncate">
          {eventText(event, paint)}
        </Text>
      ))}
      <Text dimColor wrap="truncate">
        {count}; Ctrl-C ends it
      </Text>
    </Box>
  );
}

/** Never higher than the terminal, because Ink would clear the screen for each frame. */
export function Frame(props: FrameProps) {
  const { stages, buildLine, suite, isFollowing, isInterrupted } = props.state;
  const isTesting = stages.at(-1)?.state === 'running';
  return (
    <Box flexDirection="column">
      {stages.map((stage) => (
        <StageLine key={stage.name} stage={stage} />
      ))}
      {buildLine !== undefined && (
        <Text dimColor wrap="truncate">
          {'  '}
          {readable(buildLine)}
        </Text>
      )}
      {suite && isTesting && <SuiteLine suite={suite} />}
      {isFollowing && <Events {...props} />}
      {isInterrupted && <Text color="yellow">interrupted</Text>}
    </Box>
  );
}

/** Writes notes above the frame, once and verbatim, because lines for copying must not be wrapped. */
function useNotes(notes: readonly string[], paint: Paint): void {
  const { write } = useStdout();
  const written = useRef(0);
  useEffect(() => {
    const fresh = notes.slice(written.current).map((note) => `${noteText(note, paint)}\n`);
    written.current = notes.length;
    if (fresh.length > 0) write(fresh.join(''));
  }, [notes, paint, write]);
}

const none: readonly string[] = [];

export function SandboxView({ progress, paint }: ViewProps<Update>) {
  const { rows } = useWindowSize();
  useNotes(progress?.state.notes ?? none, paint);
  return progress ? <Frame state={progress.state} paint={paint} rows={rows} /> : null;
}
