/** A workbench without a terminal, for tests. Tests send keys and read state and text. */
import { stripVTControlCharacters } from 'node:util';
import { renderToString } from 'ink';
import { createElement } from 'react';
import { Policy, type PolicyFile } from '../../../contract/policy/schema.ts';
import type { Context } from '../../program/context.ts';
import { Frame } from '../draw/frame.tsx';
import { press } from '../keys/handle.ts';
import { initialPolicy } from '../policy/state.ts';
import { frameLines, type World } from '../screen.ts';
import { type Action, initialState, reduceState, type State } from '../state.ts';
import { createStore } from '../store.ts';

export const noFile = { name: null, problems: [], omitted: 0, warnings: [], unreadable: undefined, text: '' };

export interface TestWorld {
  readonly world: World;
  readonly state: () => State;
  readonly dispatch: (action: Action) => void;
  /** Presses keys by name. A name of one character is also the typed text. */
  readonly keys: (...names: readonly string[]) => void;
  readonly type: (text: string) => void;
  readonly draw: (columns?: number, rows?: number) => string;
  readonly copied: readonly string[];
  readonly ended: () => boolean;
}

export function testWorld(policy: PolicyFile = {}, changes: Partial<World> = {}): TestWorld {
  const store = createStore(reduceState, initialState(initialPolicy(Policy.parse(policy), noFile)));
  const copied: string[] = [];
  let isEnded = false;
  const context = { cwd: '/', env: {}, now: Date.now, signal: new AbortController().signal } as unknown as Context;
  const world: World = {
    ...{ store, context, sandboxes: { start: () => {}, stop: () => {} } },
    detached: { open: () => {}, remove: async () => {} },
    daemon: { open: () => {}, change: async () => {} },
    blocked: { open: () => {}, refresh: () => {} },
    area: () => ({ width: 80, height: 23 - frameLines, hasScreenReader: false }),
    edit: async () => {},
    copy: (text) => copied.push(text),
    end: () => {
      isEnded = true;
    },
    ...changes,
  };
  return {
    world,
    state: store.state,
    dispatch: store.dispatch,
    keys: (...names) => {
      for (const name of names) press(world, { name, text: [...name].length === 1 ? name : '' });
    },
    type: (text) => press(world, { name: text, text }),
    draw: (columns = 80, rows = 23) =>
      stripVTControlCharacters(
        renderToString(createElement(Frame, { state: store.state(), columns, rows }), { columns }),
      ),
    copied,
    ended: () => isEnded,
  };
}
