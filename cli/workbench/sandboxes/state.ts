/** State of the screen Sandboxes: one row for each target. Pure. */
import type { ProbeReport, ProbeResult } from '../../probes/report.ts';
import { initial, type SessionState } from '../../sandbox/session/state.ts';
import type { Action as SandboxUse } from '../../sandbox/session/work.ts';
import { type TargetName, targets } from '../../targets/table.ts';
import { type Field, fieldOf } from '../field.ts';

export type Use = Exclude<SandboxUse, 'detach'>;

/** A sandbox that runs without the command that started it. */
export interface DetachedSandbox {
  readonly id: string;
  /** Name of its container. */
  readonly name: string;
  /** Value of the session label of its containers and networks. */
  readonly session: string;
  readonly target: TargetName;
  readonly title: string;
  /** Undefined when it has no port. */
  readonly port: number | undefined;
  readonly isRunning: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface SandboxRow {
  /** Name of the target, or of the container of a detached sandbox. */
  readonly name: string;
  readonly target: TargetName;
  readonly title: string;
  /** Port on this machine. */
  readonly port: number | undefined;
  /** Present on detached sandboxes. */
  readonly detached?: DetachedSandbox;
  readonly use: Use;
  /** Undefined when the target was never started. */
  readonly session: SessionState | undefined;
  readonly isRunning: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The latest lines of the proxy. */
  readonly log: readonly string[];
  /** Report of the last probe set. */
  readonly report: ProbeReport | undefined;
  /** Why the last run failed. */
  readonly error: string | undefined;
}

/** Views of the details of the selected row. */
export const details = ['progress', 'events', 'failures', 'log'] as const;
export type Details = (typeof details)[number];

export interface SandboxesState {
  /** Rows: the targets, then the detached sandboxes. */
  readonly rows: readonly SandboxRow[];
  /** Why the list of detached sandboxes is unknown. */
  readonly unlisted: string | undefined;
  readonly selected: number;
  readonly details: Details;
  /** Search words for the events. */
  readonly filter: Field;
  readonly isFiltering: boolean;
  /** Index of the visible failure. */
  readonly failure: number;
  /** Milliseconds since the epoch, for elapsed times. */
  readonly now: number;
}

const firstPort = 8080;
/** Returns the port of a target. tcp-guard uses the ports after its own for its services. */
const portOf = (index: number): number => firstPort + index;

export const initialSandboxes: SandboxesState = {
  rows: targets.map(({ name, title }, index) => ({
    ...{ name, target: name, title, port: portOf(index), use: 'follow', session: undefined },
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
    now: 0,
  },
};

export type SandboxAction =
  | { readonly kind: 'sandbox.started'; readonly name: TargetName; readonly use: Use; readonly at: number }
  | { readonly kind: 'sandbox.detached'; readonly rows: readonly DetachedSandbox[] }
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
  | { readonly kind: 'sandbox.filter'; readonly filter: Field };

export const selectedSandbox = ({ rows, selected }: SandboxesState): SandboxRow => rows[selected] as SandboxRow;

export const failuresOf = ({ report }: SandboxRow): readonly ProbeResult[] =>
  report?.results.filter(({ ok }) => !ok) ?? [];

const within = (index: number, length: number): number => Math.max(0, Math.min(index, length - 1));

function withRow(state: SandboxesState, name: string, changes: Partial<SandboxRow>): SandboxesState {
  return { ...state, rows: state.rows.map((row) => (row.name === name ? { ...row, ...changes } : row)) };
}

/** Replaces the rows of detached sandboxes. Rows of removed sandboxes disappear, with their events. */
function withDetached(state: SandboxesState, detached: readonly DetachedSandbox[]): SandboxesState {
  const rows = detached.map((one): SandboxRow => {
    const { name, target, title, port, isRunning, startedAt } = one;
    const known = state.rows.find((row) => row.detached?.id === one.id);
    const fresh = { use: 'follow', session: undefined, log: [], report: undefined, error: undefined } as const;
    return { ...fresh, ...known, ...{ name, target, title, port, isRunning, startedAt, detached: one } };
  });
  const all = [...state.rows.filter((row) => !row.detached), ...rows];
  return { ...state, rows: all, unlisted: undefined, selected: within(state.selected, all.length) };
}

function reduceRuns(state: SandboxesState, action: SandboxAction): SandboxesState {
  switch (action.kind) {
    case 'sandbox.detached':
      return withDetached(state, action.rows);
    case 'sandbox.unlisted':
      return { ...state, unlisted: action.reason };
    case 'sandbox.started': {
      const { name, use, at } = action;
      const fresh = { use, startedAt: at, isRunning: true, session: initial, log: [], error: undefined };
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
      return { ...state, selected: within(state.selected + action.by, state.rows.length), failure: 0 };
    case 'sandbox.details':
      return { ...state, details: action.details };
    case 'sandbox.failure':
      return { ...state, failure: within(state.failure + action.by, failuresOf(selectedSandbox(state)).length) };
    case 'sandbox.filtering':
      return { ...state, isFiltering: action.isFiltering, ...(action.isFiltering && { details: 'events' }) };
    case 'sandbox.filter':
      return { ...state, filter: action.filter };
    case 'sandbox.detached':
    case 'sandbox.unlisted':
    case 'sandbox.started':
    case 'sandbox.update':
    case 'sandbox.log':
    case 'sandbox.ended':
      return reduceRuns(state, action);
  }
}
