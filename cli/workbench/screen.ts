import type { ComponentType } from 'react';
import type { Context } from '../program/context.ts';
import type { BlockedLink } from './blocked/link.ts';
import type { DaemonLink } from './daemon/link.ts';
import type { Press } from './keys/press.ts';
import type { DetachedSandboxes } from './sandboxes/detached.ts';
import type { Sandboxes } from './sandboxes/run.ts';
import type { Action, Question, ScreenName, State } from './state.ts';
import type { Store } from './store.ts';

export interface Area {
  readonly width: number;
  readonly height: number;
  /** True when a screen reader needs panes one below the other. */
  readonly hasScreenReader: boolean;
}

/** Lines below the screen: a message, the command line, and keys. */
export const footerHeight = 3;
/** Lines of the frame outside of the screen. */
export const frameLines = footerHeight + 1;

/** What commands can use. */
export interface World {
  readonly store: Store<State, Action>;
  readonly context: Context;
  readonly daemon: Pick<DaemonLink, 'open' | 'change'>;
  readonly blocked: Pick<BlockedLink, 'open' | 'refresh'>;
  readonly area: () => Area;
  readonly sandboxes: Pick<Sandboxes, 'start' | 'stop'>;
  readonly detached: Pick<DetachedSandboxes, 'open' | 'remove'>;
  /** Opens a file in the editor. Settles when the editor ends. */
  readonly edit: (file: string, line: number) => Promise<void>;
  /** Copies a text to the clipboard of the terminal. */
  readonly copy: (text: string) => void;
  readonly end: () => void;
}

/** The key handler, footer, help and palette read these rows. A script writes them into docs/workbench.md. */
export interface Command {
  /** In words, such as `next field`. The palette searches them. */
  readonly name: string;
  /** The footer shows the first key that is not text at this moment. Empty: only the palette runs the command. */
  readonly keys: readonly string[];
  /** Word for the footer. Absent: the footer does not show the command. */
  readonly label?: string;
  /** The argument in the palette: `ban <address> [duration]`. */
  readonly takes?: string;
  /** True when the command applies. Absent: it always applies. */
  readonly when?: (state: State) => boolean;
  /** Returns the question before the command. Undefined: the command runs without one. */
  readonly questionOf?: (state: State, argument: string) => Omit<Question, 'command'> | undefined;
  readonly run: (world: World, argument: string) => void;
}

export interface ViewProps {
  readonly state: State;
  readonly width: number;
  readonly height: number;
}

export interface Screen {
  readonly name: ScreenName;
  readonly title: string;
  readonly commands: readonly Command[];
  /** True when typed characters are text and not commands. */
  readonly isTyping: (state: State) => boolean;
  /** Undefined when the key has no effect, or the screen handled it. */
  readonly type: (state: State, press: Press, world: World) => Action | undefined;
  /** Returns the command line that shows the same as the screen in a shell. */
  readonly line: (state: State) => string;
  readonly View: ComponentType<ViewProps>;
}

/** A command that only changes the state. */
export const dispatching =
  (...actions: readonly Action[]): Command['run'] =>
  ({ store }) =>
    actions.forEach(store.dispatch);
