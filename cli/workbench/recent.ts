import type { GuardRequest } from '../../engine/index.ts';

export interface RecentRequest {
  /** Request number, from 1. */
  readonly number: number;
  readonly request: GuardRequest;
  /** Source of the request: `typed`, or the name of a sandbox. */
  readonly source: string;
}

export interface RecentState {
  /** Oldest first. */
  readonly requests: readonly RecentRequest[];
  readonly count: number;
  /** Number of hits by rule id, since the start of the workbench. */
  readonly hits: ReadonlyMap<string, number>;
}

export type RecentAction = {
  readonly kind: 'recent.add';
  readonly request: GuardRequest;
  readonly source: string;
  /** The rule that blocked or allowed it. */
  readonly rule: string | undefined;
};

export const initialRecent: RecentState = { requests: [], count: 0, hits: new Map() };

export const keptRequests = 200;
/** Maximum number of counted rules. Their ids come from events, and a hostile gateway could invent ids. */
const mostRules = 4096;

function countHit(hits: RecentState['hits'], rule: string | undefined): RecentState['hits'] {
  if (rule === undefined || (!hits.has(rule) && hits.size >= mostRules)) return hits;
  return new Map(hits).set(rule, (hits.get(rule) ?? 0) + 1);
}

export function reduceRecent(state: RecentState, action: RecentAction): RecentState {
  const { request, source, rule } = action;
  const number = state.count + 1;
  return {
    requests: [...state.requests, { number, request, source }].slice(-keptRequests),
    count: number,
    hits: countHit(state.hits, rule),
  };
}
