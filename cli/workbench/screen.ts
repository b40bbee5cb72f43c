/** The interface of a screen, and of the running workbench towards its commands. */
import type { ComponentType } from 'react';
import type { Context } from '../program/context.ts';
import type { DaemonLink } from './daemon/link.ts';
import type { DashboardLink } from './dashboard/link.ts';
import type { Press } from './press.ts';
import type { DetachedSandboxes } from './sandboxes/detached.ts';
import type { Sandboxes } from './sandboxes/run.ts';
import type { Action, ScreenName, State } from './state.ts';
import type { Store } from './store.ts';

/** The area in which a screen is drawn. */
export interface Area {
  readonly width: number;
  readonly height: number;
  /** Whether panes are one below the other, for a screen reader. */
  readonly hasReader: boolean;
}

/** Lines of the frame outside of the screen. */
export const frameLines = 3;

/** The functions and data that commands can use. */
export interface World {
  readonly store: Store<State, Action>;
  readonly context: Context;
  readonly daemon: Pick<DaemonLink, 'open' | 'change'>;
  readonly dashboard: Pick<DashboardLink, 'open' | 'press' | 'change'>;
  /** Returns the current area of the screens. */
  readonly area: () => Area;
  readonly sandboxes: Pick<Sandboxes, 'start' | 'stop'>;
  readonly detached: Pick<DetachedSandboxes, 'open' | 'remove'>;
  /** Copies text to the clipboard of the terminal. */
  readonly copy: (text: string) => void;
  /** Ends the workbench. */
  readonly end: () => void;
}

/** A command of the palette and its keys. */
export interface Command {
  /** Words of the palette: `next field`. */
  readonly name: string;
  /** Keys that run the command, by name. The first one is shown in the key help. Empty: only the palette runs it. */
  readonly keys: readonly string[];
  /** Label in the key help. Absent: the command is not shown there. */
  readonly label?: string;
  /** The argument in the palette: `ban <address> [duration]`. */
  readonly takes?: string;
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
  /** Whether typed characters are text and not commands. */
  readonly isTyping: (state: State) => boolean;
  /**
   * Returns the action of a key while typing. Undefined when the screen handled the key itself, or when it has no
   * effect.
   */
  readonly type: (state: State, press: Press, world: World) => Action | undefined;
  /** Returns the command line that shows the same in a shell. */
  readonly line: (state: State) => string;
  readonly View: ComponentType<ViewProps>;
}

/** A command that only changes the state. */
export const dispatching =
  (action: Action): Command['run'] =>
  ({ store }) =>
    store.dispatch(action);
