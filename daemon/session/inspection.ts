/** What the inspector of one connection tells, as it comes. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { InspectorEvent, InspectorSession, SessionShape, Side } from '../inspectors/inspector.ts';

export type Login = Extract<InspectorEvent, { kind: 'login' }>;

export interface Inspection {
  /** Looks at bytes; what the connection is ended for, if it is. */
  readonly inspect: (side: Side, chunk: Uint8Array) => string | undefined;
  readonly end: (shape: SessionShape) => void;
  readonly isDone: () => boolean;
  /** What was learnt so far; empty: nothing. */
  readonly facts: () => Readonly<Record<string, string>>;
}

export interface InspectionHandlers {
  readonly login: (event: Login) => void;
  /** The inspector threw, which it never does. */
  readonly fault: (error: unknown) => void;
}

/** Facts past their bound are dropped. A connection whose inspector fails is ended: unread is not harmless. */
export function createInspection(session: InspectorSession, { login, fault }: InspectionHandlers): Inspection {
  const facts = new Map<string, string>();
  const note = (name: string, value: string) => {
    if (facts.size < daemonBounds.connectionFacts || facts.has(name))
      facts.set(name, value.slice(0, daemonBounds.factBytes));
  };
  const handle = (events: readonly InspectorEvent[]): string | undefined => {
    for (const event of events) {
      if (event.kind === 'violation' || event.kind === 'denied') return event.reason;
      if (event.kind === 'fact') note(event.name, event.value);
      if (event.kind === 'login') login(event);
    }
    return undefined;
  };
  const guarded = (events: () => readonly InspectorEvent[]): string | undefined => {
    try {
      return handle(events());
    } catch (error) {
      fault(error);
      return 'inspector_fault';
    }
  };
  return {
    inspect: (side, chunk) => guarded(() => session.take(side, chunk)),
    end: (shape) => void guarded(() => session.end(shape)),
    isDone: session.isDone,
    facts: () => Object.fromEntries(facts),
  };
}
