/** The commands that wait for a reply, by the key that their replies contain. Their number and bytes are bounded. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { InspectorEvent } from '../inspector.ts';
import { violation } from './events.ts';

const { heldItemBytes } = daemonBounds;

function textBytes(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + textBytes(one), 0);
}

interface PendingCommand<Command> {
  readonly command: Command;
  readonly bytes: number;
}

/** See `Channel`. */
interface InFlightChannel {
  readonly emit: (event: InspectorEvent) => void;
  readonly hold: (bytes: number) => void;
}

export class InFlight<Key, Command> {
  private readonly pendingCommands = new Map<Key, PendingCommand<Command>>();
  private readonly channel: InFlightChannel;
  private pendingBytes = 0;

  constructor(channel: InFlightChannel) {
    this.channel = channel;
  }

  get size(): number {
    return this.pendingCommands.size;
  }

  has(key: Key): boolean {
    return this.pendingCommands.has(key);
  }

  /** Adds a command with texts that `copyStart` has shortened. Beyond a bound, the command is a violation. */
  add(key: Key, command: Command): void {
    if (!this.addIfRoom(key, command)) this.channel.emit(violation('too_many_commands'));
  }

  /** Like `add`, for a command whose reply may be missed. Returns false beyond a bound. */
  addIfRoom(key: Key, command: Command): boolean {
    const bytes = textBytes(key) + textBytes(command);
    const isFull = this.pendingCommands.size >= daemonBounds.commandsInFlight;
    if (isFull || this.pendingBytes + bytes > daemonBounds.commandsInFlightBytes) return false;
    this.pendingCommands.set(key, { command, bytes });
    this.pendingBytes += bytes;
    this.channel.hold(bytes + heldItemBytes);
    return true;
  }

  get(key: Key): Command | undefined {
    return this.pendingCommands.get(key)?.command;
  }

  remove(key: Key): Command | undefined {
    const held = this.pendingCommands.get(key);
    if (!held) return undefined;
    this.pendingCommands.delete(key);
    this.pendingBytes -= held.bytes;
    this.channel.hold(-held.bytes - heldItemBytes);
    return held.command;
  }

  get first(): Key | undefined {
    return this.pendingCommands.keys().next().value;
  }

  clear(): void {
    this.channel.hold(-this.pendingBytes - this.size * heldItemBytes);
    this.pendingCommands.clear();
    this.pendingBytes = 0;
  }
}
