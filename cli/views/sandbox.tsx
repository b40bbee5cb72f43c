import { Box, Text, useStdout, useWindowSize } from 'ink';
import { useEffect, useRef } from 'react';
import { readable } from '../../platform/escape.ts';
import { counted } from '../program/counted.ts';
import type { Paint } from '../program/paint.ts';
import type { ViewProps } from '../program/view.ts';
import type { Update } from '../sandbox/session/session.ts';
import type { SessionState } from '../sandbox/session/state.ts';
import { eventText, noteText } from '../sandbox/session/text.ts';
import { ProbesLine, StageLine } from './stages.tsx';

interface FrameProps {
  readonly state: SessionState;
  readonly paint: Paint;
  readonly rows: number;
}

/** Lines of a frame without its events, and one for the cursor. */
const linesBeside = ({ stages, buildLine, probeProgress, isInterrupted }: SessionState): number =>
  stages.length + Number(buildLine !== undefined) + Number(probeProgress !== undefined) + Number(isInterrupted) + 4;

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

/**
 * Draws a frame with only as many events as fit into the terminal. Ink would clear the screen at each update of a
 * higher frame.
 */
export function Frame(props: FrameProps) {
  const { stages, buildLine, probeProgress, isFollowing, isInterrupted } = props.state;
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
      {probeProgress && isTesting && <ProbesLine progress={probeProgress} />}
      {isFollowing && <Events {...props} />}
      {isInterrupted && <Text color="yellow">interrupted</Text>}
    </Box>
  );
}

/** Writes notes above the frame, verbatim, because lines for copying must not be wrapped. */
function useNotes(notes: readonly string[], paint: Paint): void {
  const { write } = useStdout();
  const written = useRef(0);
  useEffect(() => {
    const fresh = notes.slice(written.current).map((note) => `${noteText(note, paint)}\n`);
    written.current = notes.length;
    if (fresh.length > 0) write(fresh.join(''));
  }, [notes, paint, write]);
}

const noNotes: readonly string[] = [];

export function SandboxView({ progress, paint }: ViewProps<Update>) {
  const { rows } = useWindowSize();
  useNotes(progress?.state.notes ?? noNotes, paint);
  return progress ? <Frame state={progress.state} paint={paint} rows={rows} /> : null;
}
