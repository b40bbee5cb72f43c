/** Commands without a reply so far, in order. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { violation } from './events.ts';
import type { Channel } from './text.ts';

export class Awaited<Command> {
  private readonly commands: Command[];
  private readonly channel: Channel;

  constructor(channel: Channel, ...commands: Command[]) {
    this.channel = channel;
    this.commands = commands;
  }

  get first(): Command | undefined {
    return this.commands[0];
  }

  push(command: Command): void {
    if (this.commands.length < daemonBounds.commandsInFlight) this.commands.push(command);
    else this.channel.emit(violation('too_many_commands'));
  }

  shift(): Command | undefined {
    return this.commands.shift();
  }
}
