import { readable } from '../../../platform/escape.ts';
import { type FrameSize, fullFrame, statusLine } from '../../dashboard/watch/frame.ts';
import { lineText } from '../../dashboard/watch/line.ts';
import { wrap } from '../../program/help.ts';
import { Box, Text, usePaint } from '../../views/drawing.tsx';
import { type Line, Lines, spinner, styledLine } from '../draw/lines.tsx';
import type { Area, ViewProps } from '../screen.ts';
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

const wrapLines = (text: string, color: string, width: number): Line[] =>
  wrap(readable(text), width).map((line) => styledLine(line, { color }));

function stackLines(state: DashboardState, width: number): Line[] {
  const { work, failure, problem } = state;
  if (work) return [workLine(work)];
  const failed = failure === undefined ? [] : wrapLines(failure, 'red', width);
  if (problem === undefined) return [servicesLine(state), ...failed];
  return problem === failure ? failed : [...wrapLines(problem, 'yellow', width), ...failed];
}

function servicesLine({ services }: DashboardState): Line {
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

/** Size of the dashboard below the lines about the stack. */
export const watchSize = (state: DashboardState, { width, height }: Pick<Area, 'width' | 'height'>): FrameSize => ({
  columns: width,
  rows: height - stackLines(state, width).length,
});

export function DashboardView({ state: { dashboard }, width, height }: ViewProps) {
  const paint = usePaint();
  const { watch } = dashboard;
  const head = stackLines(dashboard, width);
  const { columns, rows } = watchSize(dashboard, { width, height });
  const drawn = watch && fullFrame(watch, columns, rows, statusLine);
  const lines = drawn?.map((line) => lineText(line, paint)) ?? ['loading'];
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={[...head, ...lines]} width={width} height={height} />
    </Box>
  );
}
