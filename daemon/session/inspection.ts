/** Runs the inspector of one connection and dispatches its events. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { InspectorEvent, InspectorSession, SessionShape, Side } from '../inspectors/inspector.ts';

export type Login = Extract<InspectorEvent, { kind: 'login' }>;

export interface Inspection {
  /** Inspects bytes. Returns the reason for which the connection has to end. */
  readonly inspect: (side: Side, chunk: Uint8Array) => string | undefined;
  readonly end: (shape: SessionShape) => void;
  readonly isDone: () => boolean;
  /** The facts so far. */
  readonly facts: () => Readonly<Record<string, string>>;
}

export interface InspectionHandlers {
  readonly login: (event: Login) => void;
  /** The inspector threw, which is a bug. */
  readonly fault: (error: unknown) => void;
}

/** Drops facts beyond their bound. Ends a connection whose inspector throws: uninspected bytes are not safe. */
export function createInspection(session: InspectorSession, { login, fault }: InspectionHandlers): Inspection {
  const facts = new Map<string, string>();
  const note = (name: string, value: string) => {
    if (facts.size < daemonBounds.connectionFacts || facts.has(name)) facts.set(name, value);
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
