/** A key runs a command of the uppermost layer, or its text is inserted. */

import type { World } from '../screen.ts';
import { noticeAction } from '../state.ts';
import { keyText } from './key-names.ts';
import { layerOf, runCommand } from './layers.ts';
import type { Press } from './press.ts';

function runKey(world: World, name: string): boolean {
  const state = world.store.state();
  const command = layerOf(state)
    .commands(state)
    .find(({ keys }) => keys.includes(name));
  if (command) runCommand(world, command, '');
  return command !== undefined;
}

/** Maximum number of characters of one input that run commands. A terminal may send several typed keys together. */
const mostKeys = 16;

function refuse({ store: { dispatch } }: World, key: string): void {
  dispatch(noticeAction(true, `the key ${JSON.stringify(key)} has no effect here; ${keyText('?')} lists the keys`));
}

/** Runs each character as a command. When one starts text input, the remaining characters are text. */
function runCharacters(world: World, text: string): void {
  for (let at = 0; at < Math.min(text.length, mostKeys); at += 1) {
    const state = world.store.state();
    if (layerOf(state).isTyping(state)) {
      press(world, { name: text.slice(at), text: text.slice(at) });
      return;
    }
    if (!runKey(world, text.charAt(at))) refuse(world, text.charAt(at));
  }
}

export function press(world: World, one: Press): void {
  const state = world.store.state();
  const layer = layerOf(state);
  const isKey = one.text === '';
  if (one.name === 'ctrl-c') {
    world.end();
    return;
  }
  if (!layer.isTyping(state)) {
    if (isKey) runKey(world, one.name);
    else if (!one.isPaste) runCharacters(world, one.text);
    return;
  }
  // The field receives Enter first, because some fields have several lines.
  if (isKey && one.name !== 'enter' && runKey(world, one.name)) return;
  const action = layer.type(state, one, world);
  if (action) world.store.dispatch(action);
  else if (one.name === 'enter') runKey(world, one.name);
}
