import { Box, renderToString, Text } from 'ink';
import { readable } from '../../platform/escape.ts';
import type { Paint } from '../program/paint.ts';
import { rangeText } from '../stack/loki/options.ts';
import type { Drawing, Panel } from './boards/model.ts';
import type { PanelData } from './data.ts';
import { barLines, logLines, newestTimeLines, statLines, tableLines } from './lists.ts';
import type { LoadedBoard, PanelState } from './load.ts';
import { drawTimeChart } from './time-chart.ts';
import { clockText, escapeValue } from './units.ts';

/** Escapes a title. Users write dashboards, so a title may have any characters. */
const titleText = (title: string): string => readable(title.slice(0, 200));

/** Lines of a panel below its title. A chart over time has exactly these. */
const heights: Readonly<Record<Drawing, number>> = { stat: 4, time: 10, bars: 12, table: 20, logs: 80 };

/** Least width of a number. As many as fit are beside each other. */
const statColumns = 18;

function dataLines(panel: Panel, data: PanelData, width: number, paint: Paint): readonly string[] {
  const { drawing, columns } = panel;
  const area = { ...panel, width, height: heights[drawing], paint };
  if (data.kind === 'lines') return drawing === 'stat' ? newestTimeLines(data.lines, area) : logLines(data.lines, area);
  if (data.kind === 'time') return drawTimeChart({ ...data, ...area });
  if (drawing === 'table') return tableLines(data.rows, columns, area);
  return drawing === 'stat' ? statLines(data.rows, area) : barLines(data.rows, area);
}

const Row = ({ text }: { readonly text: string }) => <Text wrap="truncate-end">{text || ' '}</Text>;

interface PanelProps {
  readonly panel: Panel;
  readonly state: PanelState;
  readonly columns: number;
  readonly paint: Paint;
}

function PanelView({ panel, state, columns, paint }: PanelProps) {
  const lines =
    'error' in state ? [paint('red', escapeValue(state.error))] : dataLines(panel, state.data, columns, paint);
  const title = `${paint('dim', '\u2500')} ${paint('bold', titleText(panel.title))} ${paint('dim', '\u2500'.repeat(columns))}`;
  const isStat = panel.drawing === 'stat';
  return (
    <Box flexDirection="column" {...(isStat ? { flexGrow: 1, flexBasis: statColumns } : { width: columns })}>
      <Box height={1} overflow="hidden">
        <Text wrap="hard">{title}</Text>
      </Box>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the panel
        <Row key={index} text={line.trimEnd()} />
      ))}
    </Box>
  );
}

/** Returns one frame with all panels, in the order of the dashboard. */
export function frameText({ board, rangeMs, now, panels }: LoadedBoard, columns: number, paint: Paint): string {
  const bands = [...Map.groupBy(board.panels.entries(), ([, { place }]) => place.y)];
  const title = paint(['bold', 'cyan'], titleText(board.title));
  return renderToString(
    <Box flexDirection="column">
      <Row text={`${title}  last ${rangeText(rangeMs)}  ${paint('dim', `${clockText(now)} UTC`)}`} />
      {bands.map(([y, band]) => (
        <Box key={y} flexWrap="wrap" columnGap={2}>
          {band.map(([index, panel]) => (
            <PanelView key={index} panel={panel} state={panels[index] as PanelState} columns={columns} paint={paint} />
          ))}
        </Box>
      ))}
    </Box>,
    { columns },
  );
}
