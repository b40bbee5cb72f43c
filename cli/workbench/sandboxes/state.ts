import type { ProbeReport, ProbeResult } from '../../probes/report.ts';
import { plain } from '../../program/paint.ts';
import type { ListedSandbox } from '../../sandbox/session/listed.ts';
import { initialSession, type SessionState } from '../../sandbox/session/state.ts';
import { eventText } from '../../sandbox/session/text.ts';
import type { Action as SandboxUse } from '../../sandbox/session/work.ts';
import { type TargetName, targets } from '../../targets/table.ts';
import { type Field, fieldOf, searchOf } from '../field.ts';
import { clamp } from '../scroll.ts';

export type Use = Exclude<SandboxUse, 'detach'>;

export interface SandboxRow {
  /** Name of the target, or of the container of a detached sandbox. */
  readonly name: string;
  readonly target: TargetName;
  readonly title: string;
  readonly port: number | undefined;
  readonly detached?: ListedSandbox;
  readonly use: Use;
  /** Undefined until the target is started, or the detached sandbox is followed. */
  readonly session: SessionState | undefined;
  readonly isRunning: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly log: readonly string[];
  /** Report of the last probe set. */
  readonly report: ProbeReport | undefined;
  /** Why the last run failed. */
  readonly error: string | undefined;
}

export const details = ['progress', 'events', 'failures', 'log'] as const;
export type Details = (typeof details)[number];

export interface SandboxesState {
  /** Rows: the targets, then the detached sandboxes. */
  readonly rows: readonly SandboxRow[];
  /** Why the list of detached sandboxes is unknown. */
  readonly unlisted: string | undefined;
  readonly selected: number;
  readonly details: Details;
  readonly filter: Field;
  readonly isFiltering: boolean;
  /** Index of the visible failure. */
  readonly failure: number;
  /** True when keys move in the list of events. */
  readonly isInEvents: boolean;
  /** Number of the selected event. Undefined: the latest one. */
  readonly event: number | undefined;
  /** Milliseconds since the epoch, for elapsed times. */
  readonly now: number;
}

const firstPort = 8080;
/**
 * Returns the first port of a target. tcp-guard is the last target, because its services use the ports after its port.
 */
const initialPort = (index: number): number => firstPort + index;

export const initialSandboxes: SandboxesState = {
  rows: targets.map(({ name, title }, index) => ({
    ...{ name, target: name, title, port: initialPort(index), use: 'follow', session: undefined },
    ...{ isRunning: false, startedAt: 0 },
    ...{ log: [], report: undefined, error: undefined },
  })),
  ...{
    unlisted: undefined,
    selected: 0,
    details: 'progress',
    filter: fieldOf(''),
    isFiltering: false,
    failure: 0,
    isInEvents: false,
    event: undefined,
    now: 0,
  },
};

export type SandboxAction =
  | { readonly kind: 'sandbox.started'; readonly name: TargetName; readonly use: Use; readonly at: number }
  | { readonly kind: 'sandbox.detached'; readonly rows: readonly ListedSandbox[] }
  | { readonly kind: 'sandbox.unlisted'; readonly reason: string }
  | { readonly kind: 'sandbox.update'; readonly name: string; readonly session: SessionState }
  | { readonly kind: 'sandbox.log'; readonly name: string; readonly log: readonly string[]; readonly now: number }
  | {
      readonly kind: 'sandbox.ended';
      readonly name: TargetName;
      readonly report?: ProbeReport | undefined;
      readonly error?: string | undefined;
    }
  | { readonly kind: 'sandbox.select'; readonly by: number }
  | { readonly kind: 'sandbox.details'; readonly details: Details }
  | { readonly kind: 'sandbox.failure'; readonly by: number }
  | { readonly kind: 'sandbox.filtering'; readonly isFiltering: boolean }
  | { readonly kind: 'sandbox.filter'; readonly filter: Field }
  | { readonly kind: 'sandbox.inEvents'; readonly isInEvents: boolean }
  | { readonly kind: 'sandbox.event'; readonly by: number }
  | { readonly kind: 'sandbox.port'; readonly port: number };

export const selectedSandbox = ({ rows, selected }: SandboxesState): SandboxRow => rows[selected] as SandboxRow;

export function foundEvents(state: SandboxesState): SessionState['events'] {
  const { events = [] } = selectedSandbox(state).session ?? {};
  if (state.filter.text === '') return events;
  const isFound = searchOf(state.filter);
  return events.filter(({ event }) => isFound(eventText(event, plain)));
}

/** Returns the index of the selected event, or the last index when `found` lacks it. */
export function selectedEvent({ event }: SandboxesState, found: SessionState['events']): number {
  const index = found.findIndex(({ number }) => number === event);
  return index < 0 ? found.length - 1 : index;
}

export const isInEvents = ({ isInEvents: isIn, details: shown }: SandboxesState): boolean => isIn && shown === 'events';

export const failuresOf = ({ report }: SandboxRow): readonly ProbeResult[] =>
  report?.results.filter(({ ok }) => !ok) ?? [];

function withRow(state: SandboxesState, name: string, changes: Partial<SandboxRow>): SandboxesState {
  return { ...state, rows: state.rows.map((row) => (row.name === name ? { ...row, ...changes } : row)) };
}

/** Updates the rows of detached sandboxes. The events of removed sandboxes disappear. */
function withDetached(state: SandboxesState, detached: readonly ListedSandbox[]): SandboxesState {
  const rows = detached.map((one): SandboxRow => {
    const { name, target, title, port, isRunning, startedAt } = one;
    const known = state.rows.find((row) => row.detached?.id === one.id);
    const fresh = { use: 'follow', session: undefined, log: [], report: undefined, error: undefined } as const;
    return { ...fresh, ...known, ...{ name, target, title, port, isRunning, startedAt, detached: one } };
  });
  const all = [...state.rows.filter((row) => !row.detached), ...rows];
  return { ...state, rows: all, unlisted: undefined, selected: clamp(state.selected, all.length - 1) };
}

function reduceRuns(state: SandboxesState, action: SandboxAction): SandboxesState {
  switch (action.kind) {
    case 'sandbox.detached':
      return withDetached(state, action.rows);
    case 'sandbox.unlisted':
      return { ...state, unlisted: action.reason };
    case 'sandbox.started': {
      const { name, use, at } = action;
      const fresh = { use, startedAt: at, isRunning: true, session: initialSession, log: [], error: undefined };
      return { ...withRow(state, name, { ...fresh, report: undefined }), details: 'progress', failure: 0, now: at };
    }
    case 'sandbox.update': {
      const { name, session } = action;
      const [before] = state.rows.filter((row) => row.name === name);
      const isServing = session.isFollowing && !before?.session?.isFollowing && selectedSandbox(state).name === name;
      return { ...withRow(state, name, { session }), ...(isServing && { details: 'events' }) };
    }
    case 'sandbox.log':
      return { ...withRow(state, action.name, { log: action.log }), now: action.now };
    case 'sandbox.ended': {
      const { name, report, error } = action;
      return {
        ...withRow(state, name, { isRunning: false, report, error }),
        ...(report && !report.ok && selectedSandbox(state).name === name && { details: 'failures' }),
      };
    }
    default:
      return state;
  }
}

export function reduceSandboxes(state: SandboxesState, action: SandboxAction): SandboxesState {
  switch (action.kind) {
    case 'sandbox.select':
      return {
        ...{ ...state, selected: clamp(state.selected + action.by, state.rows.length - 1) },
        ...{ failure: 0, event: undefined },
      };
    case 'sandbox.details':
      return { ...state, details: action.details, isInEvents: action.details === 'events' };
    case 'sandbox.inEvents':
      return { ...state, isInEvents: action.isInEvents };
    case 'sandbox.event': {
      const found = foundEvents(state);
      return { ...state, event: found[clamp(selectedEvent(state, found) + action.by, found.length - 1)]?.number };
    }
    case 'sandbox.port':
      return withRow(state, selectedSandbox(state).name, { port: action.port });
    case 'sandbox.failure':
      return {
        ...state,
        failure: clamp(state.failure + action.by, failuresOf(selectedSandbox(state)).length - 1),
      };
    case 'sandbox.filtering':
      return { ...state, isFiltering: action.isFiltering, details: 'events', isInEvents: true };
    case 'sandbox.filter':
      return { ...state, filter: action.filter };
    default:
      return reduceRuns(state, action);
  }
}
