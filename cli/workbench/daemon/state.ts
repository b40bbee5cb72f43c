import type { BanRecord } from '../../../contract/api/records.ts';
import {
  type Address,
  curlLine,
  type DaemonEvent,
  defaultAddress,
  parseAddress,
  type Snapshot,
} from '../../daemon/client.ts';
import { type Field, fieldOf } from '../field.ts';
import { clamp } from '../scroll.ts';
import type { BanChange } from './change.ts';

interface NumberedEvent {
  readonly number: number;
  readonly event: DaemonEvent;
}

export interface DaemonState {
  readonly address: Address;
  readonly hasToken: boolean;
  /** Undefined before the first snapshot. Kept when the daemon stops responding. */
  readonly snapshot: Snapshot | undefined;
  /** Why the daemon does not respond. */
  readonly lostReason: string | undefined;
  /** Oldest first. */
  readonly events: readonly NumberedEvent[];
  readonly eventCount: number;
  readonly filter: Field;
  readonly isFiltering: boolean;
  /** Index of the selected ban. */
  readonly selected: number;
  /** The pane that narrow terminals show below the services. Undefined until a key selects one: bans if there are any. */
  readonly pane: 'bans' | 'events' | undefined;
  /** The curl line of the last change. */
  readonly lastLine: string | undefined;
  /** The change that undoes the last change. */
  readonly undo: BanChange | undefined;
}

export type DaemonAction =
  | { readonly kind: 'daemon.address'; readonly address: Address; readonly hasToken: boolean }
  | { readonly kind: 'daemon.snapshot'; readonly snapshot: Snapshot }
  | { readonly kind: 'daemon.lost'; readonly reason: string }
  | { readonly kind: 'daemon.event'; readonly event: DaemonEvent }
  | { readonly kind: 'daemon.select'; readonly by: number }
  | { readonly kind: 'daemon.pane'; readonly pane: DaemonState['pane'] }
  | { readonly kind: 'daemon.filtering'; readonly isFiltering: boolean }
  | { readonly kind: 'daemon.filter'; readonly filter: Field }
  | { readonly kind: 'daemon.changing'; readonly line: string }
  | { readonly kind: 'daemon.changed'; readonly undo: BanChange | undefined };

export const keptEvents = 500;

export const initialDaemon: DaemonState = {
  ...{ address: parseAddress(defaultAddress), hasToken: false, snapshot: undefined, lostReason: undefined },
  ...{ events: [], eventCount: 0, filter: fieldOf(''), isFiltering: false, selected: 0, pane: undefined },
  ...{ lastLine: undefined, undo: undefined },
};

export const selectedBan = ({ snapshot, selected }: DaemonState): BanRecord | undefined => snapshot?.bans[selected];

export const lineOf = ({ lastLine, address, hasToken }: DaemonState): string =>
  lastLine ?? curlLine(address, hasToken, '/health');

function withEvent(state: DaemonState, event: DaemonEvent): DaemonState {
  const number = state.eventCount + 1;
  return { ...state, events: [...state.events, { number, event }].slice(-keptEvents), eventCount: number };
}

export function reduceDaemon(state: DaemonState, action: DaemonAction): DaemonState {
  switch (action.kind) {
    case 'daemon.address':
      return { ...initialDaemon, address: action.address, hasToken: action.hasToken };
    case 'daemon.snapshot': {
      const { snapshot } = action;
      return { ...state, snapshot, lostReason: undefined, selected: clamp(state.selected, snapshot.bans.length - 1) };
    }
    case 'daemon.lost':
      return { ...state, lostReason: action.reason };
    case 'daemon.event':
      return withEvent(state, action.event);
    case 'daemon.select':
      return {
        ...{ ...state, pane: 'bans' },
        selected: clamp(state.selected + action.by, (state.snapshot?.bans.length ?? 0) - 1),
      };
    case 'daemon.pane':
      return { ...state, pane: action.pane };
    case 'daemon.filtering':
      return { ...state, isFiltering: action.isFiltering, ...(action.isFiltering && { pane: 'events' }) };
    case 'daemon.filter':
      return { ...state, filter: action.filter };
    case 'daemon.changing':
      return { ...state, lastLine: action.line };
    case 'daemon.changed':
      return { ...state, undo: action.undo };
  }
}
