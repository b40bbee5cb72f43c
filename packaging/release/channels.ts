/** Every place where a release is published, in the order of publishing. */
import type { Channel } from './channel.ts';
import { npm } from './npm.ts';

export const channels: readonly Channel[] = [npm];
