/** The frame around the screens: tabs, the plain command line, key help and the palette. */
import { Box, Text } from 'ink';
import { Component, type ReactNode } from 'react';
import { readable } from '../../platform/escape.ts';
import { wrap } from '../program/help.ts';
import { fittingKeys, type KeyHelp, keyGap } from '../program/key-help.ts';
import { common, matching } from './keys.ts';
import { FieldText, type Line, Lines, offsetFor } from './lines.tsx';
import { frameLines } from './screen.ts';
import { screenOf, screens } from './screens.ts';
import type { Palette, State } from './state.ts';

/** Smallest usable terminal. */
const least = { columns: 60, rows: 16 } as const;

interface Size {
  readonly columns: number;
  /** Number of lines to draw. */
  readonly rows: number;
}

function tabs({ screen, policy: { file } }: State): Line {
  const source = file.name === null ? 'the defaults' : readable(file.name);
  return (
    <Text>
      {screens.map(({ name, title }, index) => (
        <Text key={name} bold={name === screen} inverse={name === screen}>{` ${index + 1} ${title} `}</Text>
      ))}
      <Text dimColor>{`  policy: ${source}`}</Text>
      {file.problems.length > 0 && <Text color="red"> not valid</Text>}
    </Text>
  );
}

const symbols: Readonly<Record<string, string>> = {
  tab: 'Tab',
  'shift-tab': 'Shift-Tab',
  escape: 'Esc',
  enter: 'Enter',
  'page-down': 'PgDn',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
};

const keyText = (key: string): string =>
  symbols[key] ?? key.replace(/^ctrl-(.)/, (_, letter: string) => `^${letter.toUpperCase()}`);

/**
 * The key help. While the user types, characters are text and only other keys are shown. The palette lists the keys
 * that do not fit.
 */
function help(state: State, width: number): Line {
  const isTyping = screenOf(state.screen).isTyping(state);
  const all = [...common, ...screenOf(state.screen).commands].flatMap(({ keys, label }): KeyHelp[] => {
    const key = isTyping ? keys.find((one) => one.length > 1) : keys[0];
    return key === undefined || label === undefined ? [] : [[keyText(key), label]];
  });
  return (
    <Text>
      {fittingKeys(all, width).map(([key, word], index) => (
        <Text key={word}>
          {index > 0 && keyGap}
          <Text bold>{key}</Text>
          <Text dimColor>{` ${word}`}</Text>
        </Text>
      ))}
    </Text>
  );
}

function footer(state: State, width: number): Line[] {
  const { notice } = state;
  const last = notice ? (
    <Text key="notice" color={notice.isError ? 'red' : 'green'}>
      {readable(notice.text)}
    </Text>
  ) : (
    help(state, width)
  );
  return [
    <Text key="line">
      <Text dimColor>$ </Text>
      {readable(screenOf(state.screen).line(state).slice(0, 2000))}
    </Text>,
    last,
  ];
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
  const found = matching(state);
  const selected = Math.min(palette.selected, found.length - 1);
  const rows = found.map(
    ({ name, takes = '', keys }, index): Line => (
      <Text key={name} inverse={index === selected}>
        {` ${name}${takes && ` ${takes}`}`.padEnd(40)}
        <Text dimColor>{keys.map(keyText).join(' ')}</Text>
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

/** Keeps the other screens usable when one fails. */
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
  if (columns < least.columns || rows < least.rows) {
    const need = `The workbench needs ${least.columns} columns and ${least.rows + 1} lines; this terminal has ${columns} and ${rows + 1}. Enlarge it, or quit with ^C.`;
    return <Lines lines={wrap(need, columns)} width={columns} height={rows} />;
  }
  const { View, name } = screenOf(state.screen);
  const height = rows - frameLines;
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Lines lines={[tabs(state)]} width={columns} height={1} />
      {state.palette ? (
        <PaletteView state={state} palette={state.palette} width={columns} height={height} />
      ) : (
        <Boundary key={name} width={columns} height={height}>
          <View state={state} width={columns} height={height} />
        </Boundary>
      )}
      <Lines lines={footer(state, columns)} width={columns} height={2} />
    </Box>
  );
}
