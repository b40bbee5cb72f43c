/** The state machine of a sandbox session. It has no side effects. */
import type { AuditRecord, RequestEvent } from '../../../contract/events/members.ts';
import type { ProbeProgress } from '../../probes/progress.ts';
import type { SandboxResult } from './result.ts';

export type Phase = 'acquire' | 'start' | 'use' | 'stop' | 'stopped' | 'failed';

/** The phases that may follow each phase. */
const nextPhases: Readonly<Record<Phase, readonly Phase[]>> = {
  acquire: ['start', 'stopped', 'failed'],
  start: ['use', 'failed'],
  use: ['stop', 'stopped', 'failed'],
  stop: ['stopped', 'failed'],
  stopped: [],
  failed: [],
};

/** The stages in their order, with their phases. */
export const stages = {
  runtime: { phase: 'acquire', title: 'looking for a container runtime' },
  image: { phase: 'acquire', title: 'preparing the image' },
  start: { phase: 'start', title: 'starting the sandbox' },
  probes: { phase: 'use', title: 'sending the probes' },
  remove: { phase: 'stop', title: 'removing the sandbox' },
} as const satisfies Record<string, { readonly phase: Phase; readonly title: string }>;

export type StageName = keyof typeof stages;

export interface Stage {
  readonly name: StageName;
  readonly state: 'running' | 'done' | 'failed' | 'interrupted';
  readonly milliseconds: number;
  readonly detail: string;
}

/** `detail` summarizes the result in a few words. */
export type RunStage = <T>(name: StageName, work: () => Promise<T>, detail: (result: T) => string) => Promise<T>;

/** An event of the guard in a proxy, or of tcp-guard. */
export type SandboxEvent = RequestEvent | AuditRecord;

export type SessionEvent =
  | { readonly kind: 'stage'; readonly stage: Stage }
  /** A line of the builder. */
  | { readonly kind: 'build'; readonly line: string }
  /** `notes` are remarks for the user, one line each. */
  | { readonly kind: 'ready'; readonly target: string; readonly url: string; readonly notes: readonly string[] }
  | { readonly kind: 'following'; readonly url: string }
  | { readonly kind: 'security'; readonly event: SandboxEvent }
  /** Events that the guard did not write, because it limits the events per second. */
  | { readonly kind: 'suppressed'; readonly count: number }
  | { readonly kind: 'probes'; readonly progress: ProbeProgress }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'stopped'; readonly result: SandboxResult }
  | { readonly kind: 'failed' };

type Kind = SessionEvent['kind'];
type EventOf<K extends Kind> = Extract<SessionEvent, { kind: K }>;

interface NumberedEvent {
  /** Number of the event, from 1. */
  readonly number: number;
  readonly event: SandboxEvent;
}

export interface SessionState {
  readonly phase: Phase;
  /** In the order of their start. */
  readonly stages: readonly Stage[];
  readonly notes: readonly string[];
  /** Undefined until the sandbox serves. */
  readonly url: string | undefined;
  readonly isFollowing: boolean;
  readonly isInterrupted: boolean;
  /** The last line of a running build. */
  readonly buildLine: string | undefined;
  readonly probeProgress: ProbeProgress | undefined;
  /** The latest events, oldest first. */
  readonly events: readonly NumberedEvent[];
  readonly eventCount: number;
}

export const initialSession: SessionState = {
  phase: 'acquire',
  stages: [],
  notes: [],
  url: undefined,
  isFollowing: false,
  isInterrupted: false,
  buildLine: undefined,
  probeProgress: undefined,
  events: [],
  eventCount: 0,
};

/** Number of stored events: enough for a tall terminal. */
const keptEvents = 200;

/** Phases in which a container may run and write. */
const runningPhases = ['start', 'use', 'stop'] as const;
const openPhases = ['acquire', ...runningPhases] as const;

interface Row<K extends Kind> {
  readonly from: readonly Phase[];
  /** Returns the next phase. Absent: the phase stays. */
  readonly to?: (event: EventOf<K>) => Phase;
  readonly changes: (state: SessionState, event: EventOf<K>) => Partial<SessionState>;
}

const eventRows: { readonly [K in Kind]: Row<K> } = {
  stage: {
    from: openPhases,
    to: ({ stage }) => stages[stage.name].phase,
    changes: ({ stages: before }, { stage }) => ({
      stages: [...before.filter(({ name }) => name !== stage.name), stage],
      buildLine: undefined,
    }),
  },
  build: { from: ['acquire'], changes: (_, { line }) => ({ buildLine: line }) },
  ready: { from: ['start'], to: () => 'use', changes: (_, { url, notes }) => ({ url, notes }) },
  following: { from: ['use'], changes: () => ({ isFollowing: true }) },
  security: {
    from: runningPhases,
    changes: ({ events, eventCount }, { event }) => ({
      events: [...events, { number: eventCount + 1, event }].slice(-keptEvents),
      eventCount: eventCount + 1,
    }),
  },
  suppressed: { from: runningPhases, changes: ({ eventCount }, { count }) => ({ eventCount: eventCount + count }) },
  probes: { from: ['use'], changes: (_, { progress }) => ({ probeProgress: progress }) },
  interrupted: { from: openPhases, changes: () => ({ isInterrupted: true }) },
  stopped: { from: ['acquire', 'use', 'stop'], to: () => 'stopped', changes: () => ({}) },
  failed: { from: openPhases, to: () => 'failed', changes: () => ({}) },
};

/** Returns the phase after an event. Undefined when the current phase does not accept the event. */
function nextPhase({ phase }: SessionState, event: SessionEvent): Phase | undefined {
  const { from, to } = eventRows[event.kind] as Row<Kind>;
  const next = to?.(event) ?? phase;
  return from.includes(phase) && (next === phase || nextPhases[phase].includes(next)) ? next : undefined;
}

/** True when the current phase accepts the event. Reports of containers and probes may arrive late. */
export const accepts = (state: SessionState, event: SessionEvent): boolean => nextPhase(state, event) !== undefined;

/** Returns the state after an event. @throws Error for an event that the current phase does not accept */
export function advanceState(state: SessionState, event: SessionEvent): SessionState {
  const phase = nextPhase(state, event);
  if (phase === undefined) throw new Error(`a session in phase ${state.phase} does not accept the event ${event.kind}`);
  const { changes } = eventRows[event.kind] as Row<Kind>;
  return { ...state, ...changes(state, event), phase };
}
