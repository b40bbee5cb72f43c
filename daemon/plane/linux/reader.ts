/** The interfaces between a connection and its reader: the object that handles the events of the connection. */
import type { Ending } from '../plane.ts';
import type { Sender } from './sender.ts';

export interface Reader<C> {
  readonly onEvents: (connection: C, events: number) => void;
  /** Called after the poll that follows `Loop.queue`. */
  readonly proceed: (connection: C) => void;
  readonly onClosed: (connection: C) => void;
}

/** A connection whose first bytes can be read without removing them. `LinuxConnection` describes the members. */
export interface Peekable extends Sender {
  readonly isReadable: boolean;
  readonly hasEnded: boolean;
  readonly attach: (reader: Reader<Peekable>) => void;
  readonly detach: (reader: Reader<Peekable>) => void;
  readonly gather: (limit: number) => number;
  readonly peeked: () => Uint8Array;
  readonly end: (how: Ending) => void;
}
