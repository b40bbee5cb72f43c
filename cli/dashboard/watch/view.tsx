import { Box, type Key as InkKey, Text, useInput, useStdin, useWindowSize } from 'ink';
import type { ViewProps } from '../../program/view.ts';
import { fullFrame } from './frame.ts';
import { lineText } from './line.ts';
import type { WatchProgress } from './session.ts';
import type { Key } from './state.ts';

const keyNames = [
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'pageUp'],
  ['pageDown', 'pageDown'],
] as const;

function keyOf(text: string, key: InkKey): Key {
  const name = keyNames.find(([one]) => key[one])?.[1];
  return { text: name ? '' : text, isCtrl: key.ctrl, ...(name && { name }) };
}

/** Draws the live dashboard. One line stays free, because Ink would clear the screen for a full frame. */
export function DashboardView({ progress, paint }: ViewProps<WatchProgress>) {
  const { columns, rows: all } = useWindowSize();
  const rows = Math.max(all - 1, 1);
  const { isRawModeSupported } = useStdin();
  useInput((text, key) => progress?.press(keyOf(text, key), { columns, rows }), { isActive: isRawModeSupported });
  if (!progress) return null;
  const lines = fullFrame(progress.state, columns, rows).map((line) => lineText(line, paint));
  return (
    <Box flexDirection="column">
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its row
        <Text key={row} wrap="truncate-end">
          {line || ' '}
        </Text>
      ))}
    </Box>
  );
}
