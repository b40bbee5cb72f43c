/**
 * Built-in block rules for names of files by what they consist of, so that a name need not be known: an extension that only settings have, a
 * word for a secret, a service and a word for its settings, the suffix of a copy.
 */
import { archives } from './archives.ts';
import { copies } from './copies.ts';
import { data } from './data.ts';
import { develop } from './develop.ts';
import { storedFolders } from './folders.ts';
import { keys } from './keys.ts';
import { logs } from './logs.ts';
import { served } from './served.ts';
import { services } from './services.ts';
import { settingsNames } from './settings.ts';
import { settingsData } from './settings-data.ts';
import type { Shape } from './shape.ts';

export const shapes: readonly Shape[] = [
  ...copies,
  ...keys,
  ...services,
  ...settingsNames,
  ...settingsData,
  ...develop,
  ...logs,
  ...archives,
  ...data,
  ...storedFolders,
  ...served,
];
