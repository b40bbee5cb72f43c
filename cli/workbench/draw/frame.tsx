import { Component, type ReactNode } from 'react';
import { readable } from '../../../platform/escape.ts';
import { wrap } from '../../program/help.ts';
import { Box, Text } from '../../views/drawing.tsx';
import { keysText } from '../keys/key-names.ts';
import { matchingCommands } from '../keys/layers.ts';
import { footerHeight, frameLines } from '../screen.ts';
import { screenOf, screens } from '../screens.ts';
import type { Palette, State } from '../state.ts';
import { footerLines } from './footer.tsx';
import { HelpView } from './help.tsx';
import { FieldText, type Line, Lines, offsetFor } from './lines.tsx';

/** Smallest usable size of the frame. The terminal has one line more. */
const leastSize = { columns: 60, rows: 14 } as const;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

function tabsLine({ screen, policy: { file } }: State): Line {
  const source = file.name === null ? 'the defaults' : readable(file.name);
  return (
    <Text>
      {screens.map(({ name, title }, index) => (
        <Text key={name} bold={name === screen} inverse={name === screen}>{` ${index + 1} ${title} `}</Text>
      ))}
      {file.problems.length > 0 ? (
        <Text color="red">{`  ${source}: not valid`}</Text>
      ) : (
        <Text dimColor>{`  policy: ${source}`}</Text>
      )}
    </Text>
  );
}

function PaletteView({
  state,
  palette,
  width,
  height,
}: {
  readonly state: State;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
}) {
  const found = matchingCommands(state);
  const selected = Math.min(palette.selected, found.length - 1);
  const rows = found.map(
    ({ name, takes = '', keys }, index): Line => (
      <Text key={name} inverse={index === selected}>
        {` ${name}${takes && ` ${takes}`}`.padEnd(40)}
        <Text dimColor>{keysText(keys)}</Text>
      </Text>
    ),
  );
  const typed = (
    <Text key="typed">
      <Text bold>: </Text>
      <FieldText field={palette.field} hasFocus width={width - 4} />
    </Text>
  );
  const none = (
    <Text key="none" dimColor>
      {' '}
      no such command
    </Text>
  );
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={[typed]} width={width} height={1} />
      <Lines
        lines={rows.length > 0 ? rows : [none]}
        width={width}
        height={height - 1}
        offset={offsetFor(selected, height - 1)}
      />
    </Box>
  );
}

/** Shows the error of a screen that fails. The other screens stay usable. */
class Boundary extends Component<{ readonly children: ReactNode; readonly width: number; readonly height: number }> {
  override state: { readonly message?: string } = {};

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    const line = <Text color="red">{`this screen failed: ${readable(message)}`}</Text>;
    return <Lines lines={[line]} width={this.props.width} height={this.props.height} />;
  }
}

export function Frame({ state, columns, rows }: Size & { readonly state: State }) {
  if (columns < leastSize.columns || rows < leastSize.rows) {
    const need = `The workbench needs ${leastSize.columns} columns and ${leastSize.rows + 1} lines; this terminal has ${columns} and ${rows + 1}. Enlarge it, or quit with ^C.`;
    return <Lines lines={wrap(need, columns)} width={columns} height={rows} />;
  }
  const { View, name } = screenOf(state.screen);
  const Shown = state.help === undefined ? View : HelpView;
  const height = rows - frameLines;
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Lines lines={[tabsLine(state)]} width={columns} height={1} />
      {state.palette ? (
        <PaletteView state={state} palette={state.palette} width={columns} height={height} />
      ) : (
        <Boundary key={name} width={columns} height={height}>
          <Shown state={state} width={columns} height={height} />
        </Boundary>
      )}
      <Lines lines={footerLines(state, columns)} width={columns} height={footerHeight} />
    </Box>
  );
}
