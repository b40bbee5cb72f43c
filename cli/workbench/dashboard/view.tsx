/** The screen Dashboard: the services of the stack in one line, and a dashboard below it. */
import { Box, Text } from 'ink';
import { readable } from '../../../platform/escape.ts';
import { fullFrame } from '../../dashboard/watch/frame.ts';
import { lineText } from '../../dashboard/watch/line.ts';
import { type Line, Lines, spinner } from '../lines.tsx';
import { usePaint } from '../paint.ts';
import type { ViewProps } from '../screen.ts';
import type { DashboardState, StackWork } from './state.ts';

function workLine({ line, note, seconds }: StackWork): Line {
  return (
    <Text>
      <Text color="cyan">{`${spinner[seconds % spinner.length]} ${line}`}</Text>
      {` ${readable(note)}`}
      <Text dimColor>{` ${seconds} s`}</Text>
    </Text>
  );
}

function stackLine({ work, services, problem }: DashboardState): Line {
  if (work) return workLine(work);
  if (problem !== undefined) return <Text color="yellow">{readable(problem)}</Text>;
  if (services === undefined) return <Text dimColor>looking for the stack</Text>;
  if (services.every(({ state }) => state === 'absent'))
    return 's starts the stack, which is not running; S starts it without Grafana';
  return (
    <Text>
      {services.map(({ name, state, isHealthy }) => (
        <Text key={name}>
          <Text color={isHealthy ? 'green' : 'yellow'}>{isHealthy ? '✔ ' : '✖ '}</Text>
          {`${name} ${state}  `}
        </Text>
      ))}
    </Text>
  );
}

export function DashboardView({ state: { dashboard }, width, height }: ViewProps) {
  const paint = usePaint();
  const { watch } = dashboard;
  const lines = watch ? fullFrame(watch, width, height - 1).map((line) => lineText(line, paint)) : ['loading'];
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={[stackLine(dashboard), ...lines]} width={width} height={height} />
    </Box>
  );
}
