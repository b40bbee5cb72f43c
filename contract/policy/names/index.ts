/** Rules for names of files that are not in the table of products. They match parts of a name. */
import { archiveNames } from './archives.ts';
import { copyNames } from './copies.ts';
import { dataNames } from './data.ts';
import { developmentNames } from './develop.ts';
import { storedFolders } from './folders.ts';
import { keyNames } from './keys.ts';
import { logNames } from './logs.ts';
import { servedNames } from './served.ts';
import { serviceNames } from './services.ts';
import { settingsNames } from './settings.ts';
import { settingsData } from './settings-data.ts';
import type { Shape } from './shape.ts';

export const shapes: readonly Shape[] = [
  ...copyNames,
  ...keyNames,
  ...serviceNames,
  ...settingsNames,
  ...settingsData,
  ...developmentNames,
  ...logNames,
  ...archiveNames,
  ...dataNames,
  ...storedFolders,
  ...servedNames,
];
