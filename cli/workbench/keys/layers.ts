/** The layers that receive keys, from the top: a question, the palette, the list of keys, the screen. */

import { lastHelpOffset } from '../draw/help.tsx';
import { type Command, dispatching, type World } from '../screen.ts';
import { screenOf } from '../screens.ts';
import { clamp } from '../scroll.ts';
import type { Action, State } from '../state.ts';
import { common } from './common.ts';
import type { Press } from './press.ts';

interface Layer {
  readonly isOn: (state: State) => boolean;
  readonly commands: (state: State) => readonly Command[];
  /** True when typed characters are text and not commands. */
  readonly isTyping: (state: State) => boolean;
  /** Returns the action of a key while typing. Undefined when the key is handled, or has no effect. */
  readonly type: (state: State, press: Press, world: World) => Action | undefined;
}

const applyingCommands = (state: State, commands: readonly Command[]): Command[] =>
  commands.filter(({ when }) => when?.(state) ?? true);

const screenCommands = (state: State): Command[] =>
  applyingCommands(state, [...screenOf(state.screen).commands, ...common]);

/** Returns the commands that the palette lists. A typed name of a command with an argument hides the others. */
export function matchingCommands(state: State): readonly Command[] {
  const words = (state.palette?.field.text ?? '').trim().toLowerCase().split(/\s+/);
  const all = screenCommands(state).filter(({ name }) => name !== 'commands');
  const named = all.filter(({ name, takes }) => takes !== undefined && name === words[0]);
  if (named.length > 0) return named;
  return all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

/** Runs a command. Its question comes first, if it has one. */
export function runCommand(world: World, command: Command, argument: string): void {
  const { state, dispatch } = world.store;
  const question = command.questionOf?.(state(), argument);
  if (question) dispatch({ kind: 'question', question: { ...question, command: command.name } });
  else command.run(world, argument);
}

function runSelected(world: World): void {
  const state = world.store.state();
  const found = matchingCommands(state);
  const command = found[Math.min(state.palette?.selected ?? 0, found.length - 1)];
  const [, argument = ''] = /^\s*\S+\s+(.*?)\s*$/.exec(state.palette?.field.text ?? '') ?? [];
  world.store.dispatch({ kind: 'palette.close' });
  if (command) runCommand(world, command, command.takes === undefined ? '' : argument);
}

function answerYes(world: World): void {
  const state = world.store.state();
  const { command = '', argument = '' } = state.question ?? {};
  world.store.dispatch({ kind: 'question', question: undefined });
  screenCommands(state)
    .find(({ name }) => name === command)
    ?.run(world, argument);
}

const movePalette =
  (by: 1 | -1): Command['run'] =>
  ({ store: { state, dispatch } }) =>
    dispatch({ kind: 'palette.move', by, last: matchingCommands(state()).length - 1 });

const scrollHelp =
  (by: number): Command['run'] =>
  ({ store: { state, dispatch }, area }) => {
    const last = lastHelpOffset(state(), area());
    dispatch({ kind: 'help', offset: clamp((state().help ?? 0) + by, last) });
  };

const questionKeys: readonly Command[] = [
  { name: 'yes', keys: ['y'], label: 'yes', run: answerYes },
  { name: 'no', keys: ['n', 'escape'], label: 'no', run: dispatching({ kind: 'question', question: undefined }) },
];

const paletteKeys: readonly Command[] = [
  { name: 'run', keys: ['enter'], label: 'run', run: runSelected },
  { name: 'next', keys: ['down', 'tab'], label: 'next', run: movePalette(1) },
  { name: 'previous', keys: ['up'], label: 'previous', run: movePalette(-1) },
  { name: 'close', keys: ['escape', 'ctrl-p'], label: 'close', run: dispatching({ kind: 'palette.close' }) },
];

const helpKeys: readonly Command[] = [
  {
    ...{ name: 'close', keys: ['?', 'escape', 'enter', 'q', 'ctrl-g'], label: 'close' },
    run: dispatching({ kind: 'help', offset: undefined }),
  },
  { name: 'down', keys: ['down', 'j', 'page-down'], label: 'scroll', run: scrollHelp(5) },
  { name: 'up', keys: ['up', 'k', 'page-up'], run: scrollHelp(-5) },
];

const neverTyping = { isTyping: () => false, type: () => undefined };

const layers: readonly Layer[] = [
  { isOn: ({ question }) => question !== undefined, commands: () => questionKeys, ...neverTyping },
  {
    ...{ isOn: ({ palette }) => palette !== undefined, commands: () => paletteKeys, isTyping: () => true },
    type: (_, { name, text }) => {
      if (name === 'enter') return undefined;
      return text === '' ? { kind: 'palette.edit', key: name } : { kind: 'palette.type', text };
    },
  },
  { isOn: ({ help }) => help !== undefined, commands: () => helpKeys, ...neverTyping },
  {
    ...{ isOn: () => true, commands: screenCommands },
    isTyping: (state) => screenOf(state.screen).isTyping(state),
    type: (state, press, world) => screenOf(state.screen).type(state, press, world),
  },
];

export const layerOf = (state: State): Layer => layers.find(({ isOn }) => isOn(state)) as Layer;
