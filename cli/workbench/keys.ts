/** Maps keys to commands. */
import type { Press } from './press.ts';
import type { Command, World } from './screen.ts';
import { screenOf, screens } from './screens.ts';
import type { ScreenName, State } from './state.ts';

/** The data that starts to load when a screen is shown. */
const linkOf: Partial<Record<ScreenName, (world: World) => { readonly open: () => void }>> = {
  sandboxes: ({ detached }) => detached,
  daemon: ({ daemon }) => daemon,
  dashboard: ({ dashboard }) => dashboard,
};

const goTo = screens.map(
  ({ name, title }, index): Command => ({
    name: `go to ${title}`,
    keys: [String(index + 1), `alt-${index + 1}`],
    run: (world) => {
      world.store.dispatch({ kind: 'screen', name });
      linkOf[name]?.(world).open();
    },
  }),
);

/** Commands of every screen. */
export const common: readonly Command[] = [
  {
    name: 'commands',
    keys: [':', 'ctrl-p'],
    label: 'commands',
    run: ({ store }) => store.dispatch({ kind: 'palette.open' }),
  },
  { name: 'quit', keys: ['q', 'ctrl-c'], label: 'quit', run: ({ end }) => end() },
  {
    name: 'copy the command line',
    keys: ['y', 'ctrl-y'],
    label: 'copy',
    run: (world) => {
      const state = world.store.state();
      world.copy(screenOf(state.screen).line(state));
      world.store.dispatch({
        kind: 'notice',
        notice: { isError: false, text: 'the command line is on the clipboard' },
      });
    },
  },
  ...goTo,
];

/** Returns the commands of the current screen and the common ones. */
export const commandsOf = ({ screen }: State): readonly Command[] => [...screenOf(screen).commands, ...common];

/** Returns the commands that the palette lists for its text. The words before an argument select a command. */
export function matching(state: State): readonly Command[] {
  const words = (state.palette?.field.text ?? '').trim().toLowerCase().split(/\s+/);
  const all = commandsOf(state).filter(({ name }) => name !== 'commands');
  const named = all.filter(({ name, takes }) => takes !== undefined && name === words[0]);
  if (named.length > 0) return named;
  return all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

function runChosen(world: World): void {
  const state = world.store.state();
  const found = matching(state);
  const command = found[Math.min(state.palette?.selected ?? 0, found.length - 1)];
  const [, argument = ''] = /^\s*\S+\s+(.*?)\s*$/.exec(state.palette?.field.text ?? '') ?? [];
  world.store.dispatch({ kind: 'palette.close' });
  command?.run(world, command.takes === undefined ? '' : argument);
}

function pressPalette(world: World, { name, text }: Press): void {
  const { dispatch, state } = world.store;
  const move = (by: 1 | -1) => dispatch({ kind: 'palette.move', by, last: matching(state()).length - 1 });
  if (name === 'enter') runChosen(world);
  else if (name === 'escape' || name === 'ctrl-p') dispatch({ kind: 'palette.close' });
  else if (name === 'down' || name === 'tab') move(1);
  else if (name === 'up') move(-1);
  else if (text !== '') dispatch({ kind: 'palette.type', text });
  else dispatch({ kind: 'palette.edit', key: name });
}

function runKey(world: World, name: string): boolean {
  const command = commandsOf(world.store.state()).find(({ keys }) => keys.includes(name));
  command?.run(world, '');
  return command !== undefined;
}

/** Maximum characters of one report that are read as commands. */
const mostKeys = 16;

const isText = (state: State): boolean => state.palette !== undefined || screenOf(state.screen).isTyping(state);

/** Runs each character as a command. When a command starts text input, the remaining characters are text. */
function runCharacters(world: World, text: string): void {
  for (let at = 0; at < Math.min(text.length, mostKeys); at += 1) {
    if (isText(world.store.state())) {
      press(world, { name: text.slice(at), text: text.slice(at) });
      return;
    }
    runKey(world, text.charAt(at));
  }
}

function pressScreen(world: World, one: Press, state: State): void {
  const { type } = screenOf(state.screen);
  if (!isText(state)) {
    if (one.text === '') runKey(world, one.name);
    else if (!one.isPaste) runCharacters(world, one.text);
    return;
  }
  if (one.text === '' && one.name !== 'enter' && runKey(world, one.name)) return;
  const action = type(state, one, world);
  if (action) world.store.dispatch(action);
  else if (one.name === 'enter') runKey(world, one.name);
}

/** Handles a key. */
export function press(world: World, one: Press): void {
  const state = world.store.state();
  const { dispatch } = world.store;
  dispatch({ kind: 'notice', notice: undefined });
  if (one.name === 'ctrl-c') world.end();
  else if (state.palette) pressPalette(world, one);
  else pressScreen(world, one, state);
}
