/** What a running sandbox command reports, step by step. */
import type { AuditEvent } from '../../daemon/audit/event.ts';
import type { SuiteProgress } from '../probes/run.ts';
import type { GuardEvent } from './output.ts';

export const stageNames = ['runtime', 'image', 'start', 'probes', 'remove'] as const;
export type StageName = (typeof stageNames)[number];

export interface Stage {
  readonly name: StageName;
  readonly state: 'running' | 'done';
  readonly milliseconds: number;
  readonly detail: string;
}

/** Of a proxy's guard, or of tcp-guard. */
export type SecurityEvent = GuardEvent | AuditEvent;

/** The one thing that is new in a step. */
export type News =
  | { readonly kind: 'stage'; readonly stage: Stage }
  | { readonly kind: 'build'; readonly line: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'event'; readonly event: SecurityEvent }
  | { readonly kind: 'summary'; readonly count: number }
  | { readonly kind: 'suite'; readonly suite: SuiteProgress }
  | { readonly kind: 'interrupted' };

export interface NumberedEvent {
  /** Counts from 1. */
  readonly number: number;
  readonly event: SecurityEvent;
}

/** Everything a view needs, and what is new. */
export interface SandboxProgress {
  readonly news: News;
  readonly stages: readonly Stage[];
  readonly notes: readonly string[];
  readonly url: string | undefined;
  /** The last line of a running build. */
  readonly buildLine: string | undefined;
  readonly suite: SuiteProgress | undefined;
  /** The latest events, oldest first, and how many there were. */
  readonly events: readonly NumberedEvent[];
  readonly eventCount: number;
}

/** Events that a view shows. */
const keptEvents = 12;

const nothing: Omit<SandboxProgress, 'news'> = {
  stages: [],
  notes: [],
  url: undefined,
  buildLine: undefined,
  suite: undefined,
  events: [],
  eventCount: 0,
};

type Fold = {
  readonly [K in News['kind']]: (so: SandboxProgress, news: Extract<News, { kind: K }>) => Partial<SandboxProgress>;
};

const folds: Fold = {
  stage: ({ stages }, { stage }) => ({
    stages: [...stages.filter(({ name }) => name !== stage.name), stage],
    buildLine: undefined,
  }),
  build: (_, { line }) => ({ buildLine: line }),
  note: ({ notes }, { text }) => ({ notes: [...notes, text] }),
  serving: (_, { url }) => ({ url }),
  event: ({ events, eventCount }, { event }) => ({
    events: [...events, { number: eventCount + 1, event }].slice(-keptEvents),
    eventCount: eventCount + 1,
  }),
  summary: ({ eventCount }, { count }) => ({ eventCount: eventCount + count }),
  suite: (_, { suite }) => ({ suite }),
  interrupted: () => ({}),
};

/** The progress so far with one piece of news more. */
export function advance(so: SandboxProgress | undefined, news: News): SandboxProgress {
  const before: SandboxProgress = so ? { ...so, news } : { ...nothing, news };
  const fold = folds[news.kind] as (so: SandboxProgress, news: News) => Partial<SandboxProgress>;
  return { ...before, ...fold(before, news) };
}
