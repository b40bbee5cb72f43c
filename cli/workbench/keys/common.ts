import type { Command, World } from '../screen.ts';
import { screenOf, screens } from '../screens.ts';
import { noticeAction, type ScreenName } from '../state.ts';

/** The link of each screen that loads data. Showing the screen opens its link. */
const linksByScreen: Partial<Record<ScreenName, (world: World) => { readonly open: () => void }>> = {
  sandboxes: ({ detached }) => detached,
  daemon: ({ daemon }) => daemon,
  blocked: ({ blocked }) => blocked,
};

export function showScreen(world: World, name: ScreenName): void {
  world.store.dispatch({ kind: 'screen', name });
  linksByScreen[name]?.(world).open();
}

function copyLine({ store, copy }: World): void {
  const state = store.state();
  copy(screenOf(state.screen).line(state));
  store.dispatch(noticeAction(false, 'the command line is on the clipboard'));
}

export const common: readonly Command[] = [
  {
    ...{ name: 'keys of this screen', keys: ['?', 'ctrl-g'], label: 'keys' },
    run: ({ store }) => store.dispatch({ kind: 'help', offset: 0 }),
  },
  {
    ...{ name: 'commands', keys: [':', 'ctrl-p'], label: 'commands' },
    run: ({ store }) => store.dispatch({ kind: 'palette.open' }),
  },
  { name: 'quit', keys: ['q', 'ctrl-c'], label: 'quit', run: ({ end }) => end() },
  { name: 'copy the command line', keys: ['y', 'ctrl-y'], label: 'copy', run: copyLine },
  ...screens.map(
    ({ name, title }, index): Command => ({
      name: `go to ${title}`,
      keys: [String(index + 1), `alt-${index + 1}`],
      run: (world) => showScreen(world, name),
    }),
  ),
];
