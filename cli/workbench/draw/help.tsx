import { Text } from '../../views/drawing.tsx';
import { common } from '../keys/common.ts';
import { keysText } from '../keys/key-names.ts';
import type { Area, Command, ViewProps } from '../screen.ts';
import { screenOf } from '../screens.ts';
import type { State } from '../state.ts';
import { type Line, lastOffset, type Pane, Panes, wideColumns } from './lines.tsx';

const keyWidth = 14;

const keyLines = (commands: readonly Command[]): Line[] =>
  commands
    .filter(({ keys }) => keys.length > 0)
    .map(({ name, keys }) => (
      <Text key={name}>
        <Text bold>{` ${keysText(keys)}`.padEnd(keyWidth)}</Text>
        {name}
      </Text>
    ));

function helpPanes({ screen }: State, width: number): readonly Pane[] {
  const { title, commands } = screenOf(screen);
  const [own, others] = [keyLines(commands), keyLines(common)];
  if (width < wideColumns) return [{ title: `Keys of ${title}`, lines: [...own, '', ...others] }];
  return [
    { title: `Keys of ${title}`, lines: own },
    { title: 'Keys of every screen', lines: others },
  ];
}

export const lastHelpOffset = (state: State, { width, ...area }: Area): number =>
  lastOffset(helpPanes(state, width), area);

export const HelpView = ({ state, width, height }: ViewProps) => (
  <Panes panes={helpPanes(state, width)} width={width} height={height} offset={state.help ?? 0} />
);
