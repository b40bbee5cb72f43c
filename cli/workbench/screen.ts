/** The interface of a screen, and of the running workbench towards its commands. */
import type { ComponentType } from 'react';
import type { Context } from '../program/context.ts';
import type { DaemonLink } from './daemon/link.ts';
import type { DashboardLink } from './dashboard/link.ts';
import type { Press } from './keys/press.ts';
import type { DetachedSandboxes } from './sandboxes/detached.ts';
import type { Sandboxes } from './sandboxes/run.ts';
import type { Action, Question, ScreenName, State } from './state.ts';
import type { Store } from './store.ts';

/** The area in which a screen is drawn. */
export interface Area {
  readonly width: number;
  readonly height: number;
  /** True when panes are drawn one below the other, for a screen reader. */
  readonly hasReader: boolean;
}

/** Lines below the screen: a message, the command line, and keys. */
export const footerHeight = 3;
/** Lines of the frame outside of the screen. */
export const frameLines = footerHeight + 1;

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
  /** Opens the file at the line in the editor of the user. Settles when the editor ends. */
  readonly edit: (file: string, line: number) => Promise<void>;
  /** Copies text to the clipboard of the terminal. */
  readonly copy: (text: string) => void;
  readonly end: () => void;
}

/**
 * A row of the table of keys. The handler, the footer, the help, the palette and docs/workbench.md are made from these
 * rows.
 */
export interface Command {
  /** Action of the command in words, such as `next field`. The palette searches these words. */
  readonly name: string;
  /** Keys that run the command, by name. The first one is shown in the footer. Empty: only the palette runs it. */
  readonly keys: readonly string[];
  /** Label in the footer. Absent: the command is not shown there. */
  readonly label?: string;
  /** The argument in the palette: `ban <address> [duration]`. */
  readonly takes?: string;
  /** True when the command applies in this state. Absent: it always applies. */
  readonly when?: (state: State) => boolean;
  /** Returns the question before the command runs, and the argument for that run. Undefined: it runs at once. */
  readonly ask?: (state: State, argument: string) => Omit<Question, 'command'> | undefined;
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
  /**
   * Returns the action of a key while typing. Undefined when the screen handled the key itself, or when it has no
   * effect.
   */
  readonly type: (state: State, press: Press, world: World) => Action | undefined;
  /** Returns the command line that shows the same as the screen in a shell. */
  readonly line: (state: State) => string;
  readonly View: ComponentType<ViewProps>;
}

/** A command that only changes the state. */
export const dispatching =
  (action: Action): Command['run'] =>
  ({ store }) =>
    store.dispatch(action);
