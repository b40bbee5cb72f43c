/** Every place where a release is published, in the order of publishing. */
import type { Channel } from './channel.ts';
import { debian } from './debian.ts';
import { go } from './go.ts';
import { containerImages } from './images.ts';
import { lua } from './lua.ts';
import { npm } from './npm.ts';

export const channels: readonly Channel[] = [npm, go, lua, debian, containerImages];
