/** Opens the workbench, and restores the terminal when it ends. */

import type { ReadStream } from 'node:tty';
import { render, useApp, useInput, usePaste, useWindowSize } from 'ink';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { defaultAddress, parseAddress, tokenVariable } from '../daemon/client.ts';
import type { Context } from '../program/context.ts';
import type { LokiOptions } from '../stack/loki/options.ts';
import { DrawingContext, drawingOf } from '../views/drawing.tsx';
import { BlockedLink } from './blocked/link.ts';
import { defaultRangeMs } from './blocked/state.ts';
import { DaemonLink } from './daemon/link.ts';
import { Frame } from './draw/frame.tsx';
import { runEditor } from './editor.ts';
import { showScreen } from './keys/common.ts';
import { press } from './keys/handle.ts';
import { pressesOf } from './keys/press.ts';
import { type Filtered, filterTerminal } from './keys/terminal-input.ts';
import { expireNotices } from './notices.ts';
import { watchPolicy } from './policy/watch.ts';
import { DetachedSandboxes } from './sandboxes/detached.ts';
import { Sandboxes } from './sandboxes/run.ts';
import { type Area, frameLines, type World } from './screen.ts';
import { initialState, noticeAction, reduceState } from './state.ts';
import { createStore } from './store.ts';
import { loadHosts } from './try/screen.ts';

export interface WorkbenchOptions {
  readonly config?: string;
  readonly daemon?: string;
}

/** What `guardcli dashboard watch` shows first. */
export interface WatchedLoki extends LokiOptions {
  /** Length of the counted range, in milliseconds. */
  readonly rangeMs?: number | undefined;
}

type Suspend = ReturnType<typeof useApp>['suspendTerminal'];

interface WorkbenchProps {
  readonly world: World;
  /** Receives the function that leaves the terminal to another program. */
  readonly onOpen: (suspend: Suspend) => void;
}

function Workbench({ world, onOpen }: WorkbenchProps) {
  const { suspendTerminal } = useApp();
  useEffect(() => onOpen(suspendTerminal), [onOpen, suspendTerminal]);
  const { subscribe, state } = world.store;
  const shown = useSyncExternalStore(subscribe, state);
  const [drawing] = useState(() => drawingOf(world.context));
  const { columns, rows } = useWindowSize();
  useInput((input, key) => {
    for (const one of pressesOf(input, key)) press(world, one);
    world.store.flush();
  });
  usePaste((text) => press(world, { name: 'paste', text, isPaste: true }));
  return (
    <DrawingContext value={drawing}>
      <Frame state={shown} columns={columns} rows={drawnRows(rows)} />
    </DrawingContext>
  );
}

/** One line stays free, because Ink clears the terminal for a frame of full height. */
const drawnRows = (rows: number): number => rows - 1;

function areaOf(context: Context): Area {
  const { columns = 80, rows = 24 } = context.stdout as Partial<NodeJS.WriteStream>;
  const { hasScreenReader } = drawingOf(context);
  return { width: columns, height: drawnRows(rows) - frameLines, hasScreenReader };
}

/** Shows the error of failed work. The workbench continues. */
function showFailure(world: World, work: Promise<void>): void {
  work.catch((error: unknown) => {
    world.store.dispatch(noticeAction(true, error instanceof Error ? error.message : String(error)));
  });
}

/**
 * Returns promises for the end of the workbench. `first` resolves at the first call of `end`, or of `gone` when the
 * terminal was closed. `second` resolves at the second call of `end`: the workbench then no longer waits for sandboxes.
 */
function createEnding() {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let count = 0;
  const end = (): void => {
    count += 1;
    (count === 1 ? first : second).resolve();
  };
  return { end, gone: first.resolve, fail: first.reject, first: first.promise, second: second.promise };
}

function drawWorkbench(world: World, stdin: ReadStream, onOpen: WorkbenchProps['onOpen']) {
  const { stdout, stderr } = world.context;
  return render(<Workbench world={world} onOpen={onOpen} />, {
    stdout: stdout as NodeJS.WriteStream,
    stderr: stderr as NodeJS.WriteStream,
    stdin,
    ...{ interactive: true, alternateScreen: true, incrementalRendering: true, exitOnCtrlC: false },
    // Ink neither lays out nor shortens what a screen reader reads, and writes all of it again after each change.
    isScreenReaderEnabled: false,
    // The store limits frames. A limit here would delay the frame of a key.
    maxFps: 1000,
  });
}

/** Waits until the sandboxes are removed, or until `second`: the reapers then remove them. */
async function closeSandboxes({ store }: World, sandboxes: Sandboxes, second: Promise<void>): Promise<void> {
  if (store.state().sandboxes.rows.some(({ isRunning }) => isRunning)) {
    store.dispatch({ kind: 'screen', name: 'sandboxes' });
    store.dispatch(noticeAction(false, 'removing the sandboxes; ^C again leaves that to their reaper'));
  }
  await Promise.race([sandboxes.close(), second]);
}

function showBlocked(world: World, { rangeMs = defaultRangeMs }: WatchedLoki): void {
  world.store.dispatch({ kind: 'blocked.range', rangeMs });
  showScreen(world, 'blocked');
}

/** Returns the function that opens the editor. It does nothing before `onOpen` is called. */
function createEdit(context: Context, { pause, resume }: Filtered) {
  let suspend: Suspend | undefined;
  const edit: World['edit'] = async (file, line) => {
    await suspend?.(async () => {
      pause();
      await runEditor(file, line, context).finally(resume);
    });
  };
  const onOpen = (received: Suspend): void => {
    suspend = received;
  };
  return { edit, onOpen };
}

/** Resolves when the user quits, the terminal was closed, or the context is aborted, after restoring the terminal. */
export async function openWorkbench(options: WorkbenchOptions, context: Context, watched?: WatchedLoki): Promise<void> {
  const { signal, stdin, stdout, env } = context;
  const address = parseAddress(options.daemon ?? defaultAddress);
  const token = env[tokenVariable] || undefined;
  const policy = await watchPolicy(options.config, context);
  const store = createStore(reduceState, initialState(policy.initial));
  const sandboxes = new Sandboxes(store, context);
  const detached = new DetachedSandboxes(store, context);
  const daemon = new DaemonLink(store, address, token);
  const blocked = new BlockedLink(store, context, watched ?? {});
  store.dispatch({ kind: 'daemon.address', address, hasToken: token !== undefined });
  const { end, gone, fail, first, second } = createEnding();
  const stopExpiring = expireNotices(store);
  const input = filterTerminal(stdin as ReadStream, gone);
  const copy = (text: string) => stdout.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`);
  const area = (): Area => areaOf(context);
  const { edit, onOpen } = createEdit(context, input);
  const world: World = { store, context, sandboxes, detached, daemon, blocked, area, end, edit, copy };
  if (watched) showBlocked(world, watched);
  const ink = drawWorkbench(world, input.stream, onOpen);
  signal.addEventListener('abort', end);
  ink.waitUntilExit().then(end, fail);
  try {
    policy.start(store.dispatch);
    showFailure(world, loadHosts(world));
    if (!signal.aborted) await first;
    stopExpiring();
    await closeSandboxes(world, sandboxes, second);
  } finally {
    stopExpiring();
    detached.close();
    daemon.close();
    blocked.close();
    policy.close();
    ink.unmount();
    input.close();
    signal.removeEventListener('abort', end);
    await ink.waitUntilExit().catch(() => {});
  }
}
