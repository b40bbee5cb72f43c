/** Opens the workbench. Only this file owns the terminal: the alternate screen, raw mode, and their end. */

import type { ReadStream } from 'node:tty';
import { render, useInput, usePaste, useWindowSize } from 'ink';
import { useSyncExternalStore } from 'react';
import type { Context } from '../program/context.ts';
import { Frame } from './frame.tsx';
import { press } from './keys.ts';
import { watchPolicy } from './policy/watch.ts';
import { pressesOf } from './press.ts';
import type { World } from './screen.ts';
import { initialState, reduce } from './state.ts';
import { createStore } from './store.ts';
import { filtered } from './terminal-input.ts';
import { loadHosts } from './try/screen.ts';

export interface WorkbenchOptions {
  readonly config?: string;
}

function Workbench({ world }: { readonly world: World }) {
  const { subscribe, state } = world.store;
  const shown = useSyncExternalStore(subscribe, state);
  const { columns, rows } = useWindowSize();
  useInput((input, key) => {
    for (const one of pressesOf(input, key)) press(world, one);
  });
  usePaste((text) => press(world, { name: 'paste', text }));
  // One line stays free: Ink clears the terminal for a frame of its full height.
  return <Frame state={shown} columns={columns} rows={rows - 1} />;
}

/** Reports a failed part in the frame and keeps the others. */
function settled(world: World, work: Promise<void>): void {
  work.catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    world.store.dispatch({ kind: 'notice', notice: { isError: true, text } });
  });
}

/** Returns when the user quits, or when the context is aborted by a signal. The terminal is then as before. */
export async function openWorkbench({ config }: WorkbenchOptions, context: Context): Promise<void> {
  const policy = await watchPolicy(config, context);
  const store = createStore(reduce, initialState(policy.initial));
  const input = filtered(context.stdin as ReadStream);
  const ending = Promise.withResolvers<void>();
  const world: World = {
    ...{ store, context, end: ending.resolve },
    copy: (text) => context.stdout.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
  };
  const ink = render(<Workbench world={world} />, {
    stdout: context.stdout as NodeJS.WriteStream,
    stderr: context.stderr as NodeJS.WriteStream,
    stdin: input.stream,
    ...{ interactive: true, alternateScreen: true, incrementalRendering: true, exitOnCtrlC: false },
    // The store limits frames. A lower limit here would delay the frame of a key.
    maxFps: 60,
  });
  const onAbort = (): void => ending.resolve();
  context.signal.addEventListener('abort', onAbort);
  ink.waitUntilExit().then(onAbort, ending.reject);
  try {
    policy.start(store.dispatch);
    settled(world, loadHosts(world));
    if (!context.signal.aborted) await ending.promise;
  } finally {
    policy.close();
    ink.unmount();
    input.close();
    context.signal.removeEventListener('abort', onAbort);
    await ink.waitUntilExit().catch(() => {});
  }
}
