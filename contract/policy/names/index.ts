/**
 * Built-in block rules for names of files that are not in the table of products. They match parts of a name: an extension that only settings
 * have, a word for a secret, a service with a word for its settings, or the suffix of a copy.
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
