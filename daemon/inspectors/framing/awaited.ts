/** Commands that the server still has to answer, in their order. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { violation } from './events.ts';
import type { Talk } from './text.ts';

export class Awaited<Command> {
  private readonly commands: Command[] = [];
  private readonly talk: Talk;

  constructor(talk: Talk) {
    this.talk = talk;
  }

  get first(): Command | undefined {
    return this.commands[0];
  }

  push(command: Command): void {
    if (this.commands.length < daemonBounds.commandsInFlight) this.commands.push(command);
    else this.talk.emit(violation('too_many_commands'));
  }

  shift(): Command | undefined {
    return this.commands.shift();
  }
}
