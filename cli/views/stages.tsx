import { readable } from '../../platform/escape.ts';
import type { ProbeProgress } from '../probes/progress.ts';
import { type Stage, stages as titles } from '../sandbox/session/state.ts';
import { durationText } from '../sandbox/session/text.ts';
import { Text } from './drawing.tsx';

const barWidth = 20;

const stageMarks = {
  running: ['cyan', '•'],
  done: ['green', '✔'],
  failed: ['red', '✖'],
  interrupted: ['yellow', '■'],
} as const satisfies Record<Stage['state'], readonly [string, string]>;

/** Returns the outcome as a word, so that a failed stage is recognizable without colors. */
function outcomeText({ state, detail }: Stage): string {
  if (state === 'failed' || state === 'interrupted') return `: ${state}`;
  return detail === '' ? '' : `: ${readable(detail)}`;
}

export function StageLine({ stage }: { readonly stage: Stage }) {
  const [color, mark] = stageMarks[stage.state];
  return (
    <Text wrap="truncate">
      <Text color={color}>{mark}</Text> {titles[stage.name].title}
      {outcomeText(stage)}
      {stage.state !== 'running' && <Text dimColor> ({durationText(stage.milliseconds)})</Text>}
    </Text>
  );
}

export function ProbesLine({ progress: { done, total, failed } }: { readonly progress: ProbeProgress }) {
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
