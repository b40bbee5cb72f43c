/** The commands that wait for a reply, in order. */
import { InFlight } from './in-flight.ts';
import type { Channel } from './text.ts';

export class Awaited<Command> {
  private readonly commands: InFlight<number, Command>;
  private sentCount = 0;
  private answeredCount = 0;

  constructor(channel: Pick<Channel, 'emit' | 'hold'>, ...commands: Command[]) {
    this.commands = new InFlight(channel);
    for (const command of commands) this.push(command);
  }

  get first(): Command | undefined {
    return this.commands.get(this.answeredCount);
  }

  /** Adds a command. The caller must have shortened its texts with `copyStart`. */
  push(command: Command): void {
    this.commands.add(this.sentCount, command);
    this.sentCount += 1;
  }

  shift(): Command | undefined {
    if (this.commands.size === 0) return undefined;
    this.answeredCount += 1;
    return this.commands.remove(this.answeredCount - 1);
  }
}
