/** The channels of a release. A channel that needs the files of another one comes after it. */
import { apt } from './apt.ts';
import type { Channel } from './channel.ts';
import { debian } from './debian.ts';
import { go } from './go.ts';
import { homebrew } from './homebrew.ts';
import { containerImages } from './images.ts';
import { lua } from './lua.ts';
import { npm } from './npm.ts';
import { rpm } from './rpm.ts';

export const channels: readonly Channel[] = [npm, homebrew, go, lua, debian, apt, rpm, containerImages];
