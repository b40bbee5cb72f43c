/** Base class of inspected conversations. Field initializers of a subclass may use `channel` and `context`. */
import type { InspectorContext } from '../inspector.ts';

export abstract class Conversation<Channel> {
  protected readonly channel: Channel;
  protected readonly context: InspectorContext;

  constructor(channel: Channel, context: InspectorContext) {
    this.channel = channel;
    this.context = context;
  }
}
