/** A browser of this machine: none is ever fetched. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Names under which Chromium and what is built from it are installed, the free one first. */
const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** Where macOS has them, which puts no programs on the path. */
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** What a user does where there is none. */
export const installHint = 'no Chromium on this machine: sudo apt-get install chromium, or put Chrome on the PATH';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of the browser; undefined when there is none. */
export function findBrowser(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folders = (env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const onPath = programs.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...applications].find(isProgram);
}
