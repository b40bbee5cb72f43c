/**
 * The commands that wait for a reply, by the key that their replies contain. Their number and the bytes of their texts
 * are bounded.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { InspectorEvent } from '../inspector.ts';
import { violation } from './events.ts';

function textBytes(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + textBytes(one), 0);
}

interface PendingCommand<Command> {
  readonly command: Command;
  readonly bytes: number;
}

export class InFlight<Key, Command> {
  private readonly held = new Map<Key, PendingCommand<Command>>();
  private readonly emit: (event: InspectorEvent) => void;
  private bytes = 0;

  constructor({ emit }: { readonly emit: (event: InspectorEvent) => void }) {
    this.emit = emit;
  }

  get size(): number {
    return this.held.size;
  }

  has(key: Key): boolean {
    return this.held.has(key);
  }

  /**
   * Adds a command. The caller must have shortened its texts with `kept`. Beyond a bound, the command is a violation and
   * is not added.
   */
  add(key: Key, command: Command): void {
    const bytes = textBytes(key) + textBytes(command);
    const isFull = this.held.size >= daemonBounds.commandsInFlight;
    if (isFull || this.bytes + bytes > daemonBounds.commandsInFlightBytes) {
      this.emit(violation('too_many_commands'));
      return;
    }
    this.held.set(key, { command, bytes });
    this.bytes += bytes;
  }

  get(key: Key): Command | undefined {
    return this.held.get(key)?.command;
  }

  /** Removes and returns the command. */
  remove(key: Key): Command | undefined {
    const held = this.held.get(key);
    if (!held) return undefined;
    this.held.delete(key);
    this.bytes -= held.bytes;
    return held.command;
  }

  /** The key of the oldest command. */
  get first(): Key | undefined {
    return this.held.keys().next().value;
  }

  clear(): void {
    this.held.clear();
    this.bytes = 0;
  }
}
