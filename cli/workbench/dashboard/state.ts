import type { ServiceState } from '../../dashboard/stack/services.ts';
import type { WatchState } from '../../dashboard/watch/state.ts';

/** A start or stop that is in progress. */
export interface StackWork {
  /** Arguments of `guardcli dashboard`. */
  readonly line: string;
  readonly note: string;
  readonly seconds: number;
}

export interface DashboardState {
  readonly work: StackWork | undefined;
  /** Why the last start or stop failed. */
  readonly failure: string | undefined;
  /** Undefined until the first list of services arrived. */
  readonly services: readonly ServiceState[] | undefined;
  /** Why the services of the stack or the dashboards cannot be loaded. */
  readonly problem: string | undefined;
  /** Undefined until it is loaded. */
  readonly watch: WatchState | undefined;
}

export type DashboardAction =
  | { readonly kind: 'dashboard.services'; readonly services: readonly ServiceState[] }
  | { readonly kind: 'dashboard.problem'; readonly problem: string }
  | { readonly kind: 'dashboard.work'; readonly work: StackWork | undefined }
  | { readonly kind: 'dashboard.failed'; readonly failure: string }
  | { readonly kind: 'dashboard.watch'; readonly watch: WatchState };

export const initialDashboard: DashboardState = {
  ...{ work: undefined, failure: undefined, services: undefined, problem: undefined, watch: undefined },
};

export function reduceDashboard(state: DashboardState, action: DashboardAction): DashboardState {
  switch (action.kind) {
    case 'dashboard.services':
      return { ...state, services: action.services, problem: undefined };
    case 'dashboard.problem':
      return { ...state, problem: action.problem };
    case 'dashboard.work':
      return { ...state, work: action.work, ...(action.work && { failure: undefined }) };
    case 'dashboard.failed':
      return { ...state, failure: action.failure };
    case 'dashboard.watch':
      return { ...state, watch: action.watch };
  }
}
