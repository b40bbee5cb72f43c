/** The browser of the browser probes. Where we may not install one, the tests that need it say that they were skipped. */
import { findBrowser } from '../../cli/probes/browser/find.ts';
import type { Task } from '../graph/task.ts';
import { canInstall, installDebian } from './debian.ts';

export const chromium: Task = {
  name: 'chromium',
  does: 'installing Chromium',
  needs: [],
  done: () => findBrowser(process.env) !== undefined || !canInstall(),
  run: async (context) => {
    await installDebian('browser', context);
    return undefined;
  },
  mend: 'install Chromium, then run the same command again',
};
