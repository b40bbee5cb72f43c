/** The sandbox command on a terminal: its stages, the probes as they are answered, live events, and the result. */
import { Box, Text } from 'ink';
import { readable } from '../../platform/escape.ts';
import type { SuiteProgress } from '../probes/run.ts';
import type { ViewProps } from '../program/command.ts';
import type { Paint } from '../program/paint.ts';
import type { SandboxProgress, Stage } from '../sandbox/progress.ts';
import type { SandboxResult } from '../sandbox/session.ts';
import { durationText, eventText, resultText, servingText, stageTitles } from '../sandbox/text.ts';

const barWidth = 30;

function StageLine({ stage: { name, state, milliseconds, detail } }: { readonly stage: Stage }) {
  const isDone = state === 'done';
  return (
    <Text>
      <Text color={isDone ? 'green' : 'cyan'}>{isDone ? '✔' : '•'}</Text> {stageTitles[name]}
      {detail !== '' && <Text>: {readable(detail)}</Text>}
      {isDone && <Text dimColor> ({durationText(milliseconds)})</Text>}
    </Text>
  );
}

function SuiteLine({ suite: { done, total, failed } }: { readonly suite: SuiteProgress }) {
  const filled = Math.floor((barWidth * done) / Math.max(total, 1));
  return (
    <Text>
      {'  '}
      <Text color="green">{'█'.repeat(filled)}</Text>
      <Text dimColor>{'░'.repeat(barWidth - filled)}</Text> {done}/{total}
      {failed > 0 && <Text color="red"> {failed} failed</Text>}
    </Text>
  );
}

interface RunningProps {
  readonly progress: SandboxProgress;
  readonly paint: Paint;
}

function Events({ progress: { url, events, eventCount }, paint }: RunningProps) {
  if (url === undefined) return null;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold>{servingText(url)}</Text>
      {events.map(({ number, event }) => (
        <Text key={number} wrap="truncate">
          {eventText(event, paint)}
        </Text>
      ))}
      <Text dimColor>{eventCount === 0 ? 'nothing was blocked yet' : `${eventCount} so far`}</Text>
    </Box>
  );
}

function Running({ progress, paint }: RunningProps) {
  const { stages, notes, buildLine, suite, news } = progress;
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
      {suite && <SuiteLine suite={suite} />}
      {notes.map((note) => (
        <Text key={note} color="yellow">
          note: {readable(note)}
        </Text>
      ))}
      <Events progress={progress} paint={paint} />
      {news.kind === 'interrupted' && <Text color="yellow">interrupted</Text>}
    </Box>
  );
}

export function SandboxView({ progress, result, paint }: ViewProps<SandboxProgress, SandboxResult>) {
  return (
    <Box flexDirection="column">
      {progress && <Running progress={progress} paint={paint} />}
      {result && (
        <Box marginTop={1}>
          <Text>{resultText(result, paint)}</Text>
        </Box>
      )}
    </Box>
  );
}
