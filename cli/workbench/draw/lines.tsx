/** Draws lines and panes. A pane has exactly its height, so that the frame fits the terminal. */
import type { ComponentProps, ReactNode } from 'react';
import { Box, Text, useScreenReader } from '../../views/drawing.tsx';
import type { Field } from '../field.ts';
import type { Area } from '../screen.ts';

/** Width in columns from which a terminal shows all panes of a screen. */
export const wideColumns = 110;

export const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧';

/** The content of one line. */
export type Line = ReactNode;

/** A line in one style. */
export const styledLine = (
  text: string,
  style: Pick<ComponentProps<typeof Text>, 'color' | 'dimColor' | 'bold'>,
): Line => (
  <Text key={text} {...style}>
    {text}
  </Text>
);

interface LinesProps {
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
  /** Index of the first visible line. */
  readonly offset?: number;
}

/** Returns the offset that shows the last line, below the marker for hidden lines. */
const endOf = (lines: number, height: number): number => (lines > height ? lines - height + 1 : 0);

function windowOf(lines: readonly Line[], height: number, offset: number): readonly Line[] {
  if (lines.length <= height) return lines;
  const start = Math.min(offset, endOf(lines.length, height));
  const above = start > 0 ? [<Text key="above" dimColor>{`↑ ${start} more`}</Text>] : [];
  const room = height - above.length;
  const below = lines.length - start - room;
  if (below <= 0) return [...above, ...lines.slice(start, start + room)];
  const hidden = <Text key="below" dimColor>{`↓ ${below + 1} more`}</Text>;
  return [...above, ...lines.slice(start, start + room - 1), hidden];
}

/** Returns the offset that makes line `focus` visible. */
export const offsetFor = (focus: number, height: number): number => Math.max(0, focus - height + 3);

/** Draws only the visible lines. To clip rows, Ink would measure each cell. */
export function Lines({ lines, width, height, offset = 0 }: LinesProps) {
  const hasScreenReader = useScreenReader();
  const shown = windowOf(lines, Math.max(0, height), offset);
  return (
    <Box flexDirection="column" width={width} height={Math.max(0, height)} flexShrink={0}>
      {(hasScreenReader ? shown.filter((line) => line !== '') : shown).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place on the screen
        <Text key={index} wrap="truncate-end">
          {line || ' '}
        </Text>
      ))}
    </Box>
  );
}

export interface Pane {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Index of the line that stays visible. Absent for a pane that the user scrolls. */
  readonly focus?: number;
}

const heightOf = (panes: readonly Pane[], height: number, hasScreenReader: boolean): number =>
  hasScreenReader ? Math.floor(height / panes.length) : height;

/** The greatest offset that has an effect. */
export function lastOffset(panes: readonly Pane[], { height, hasScreenReader }: Omit<Area, 'width'>): number {
  const high = heightOf(panes, height, hasScreenReader);
  const scrolling = panes.filter(({ focus }) => focus === undefined);
  return Math.max(0, ...scrolling.map(({ lines }) => endOf(lines.length, high - 1)));
}

/** Draws panes side by side, or one below the other for a screen reader. */
export function Panes({
  panes,
  width,
  height,
  offset = 0,
}: Omit<LinesProps, 'lines'> & { readonly panes: readonly Pane[] }) {
  const hasScreenReader = useScreenReader();
  const wide = hasScreenReader ? width : Math.floor((width - (panes.length - 1)) / panes.length);
  const high = heightOf(panes, height, hasScreenReader);
  return (
    <Box width={width} height={height} flexShrink={0} columnGap={1} flexDirection={hasScreenReader ? 'column' : 'row'}>
      {panes.map(({ title, lines, focus }) => (
        <Box key={title} flexDirection="column" width={wide} height={high} flexShrink={0}>
          <Lines lines={[<Title key="title" text={title} width={wide} />]} width={wide} height={1} />
          <Lines
            lines={lines}
            width={wide}
            height={high - 1}
            offset={focus === undefined ? offset : offsetFor(focus, high - 1)}
          />
        </Box>
      ))}
    </Box>
  );
}

export function Title({ text, width }: { readonly text: string; readonly width: number }) {
  const hasScreenReader = useScreenReader();
  return (
    <Text bold>
      {text} {!hasScreenReader && <Text dimColor>{'─'.repeat(Math.max(0, width - text.length - 1))}</Text>}
    </Text>
  );
}

/** Draws a text field. `shown` replaces line breaks and invisible characters by one visible character each. */
export function FieldText({
  field: { text, cursor },
  hasFocus,
  width,
}: {
  readonly field: Field;
  readonly hasFocus: boolean;
  readonly width: number;
}) {
  const start = Math.max(0, cursor - width + 2);
  const shown = (part: string): string => part.replaceAll('\n', '↵').replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '·');
  const visible = text.slice(start, start + width - 1);
  if (!hasFocus) return <Text>{shown(text.slice(0, width))}</Text>;
  const at = cursor - start;
  return (
    <Text>
      {shown(visible.slice(0, at))}
      <Text inverse>{shown(visible[at] ?? ' ')}</Text>
      {shown(visible.slice(at + 1))}
    </Text>
  );
}
