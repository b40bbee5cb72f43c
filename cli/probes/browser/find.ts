/** Finds a browser on this machine. Never downloads one. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Program names of Chromium and of browsers built from it. Free ones come first. */
const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** Paths on macOS, which does not put browsers on the PATH. */
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Instructions for a machine without a browser. */
export const installHint = 'no Chromium on this machine: sudo apt-get install chromium, or put Chrome on the PATH';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the path of the browser, or undefined when there is none. */
export function findBrowser(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folders = (env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const onPath = programs.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...applications].find(isProgram);
}
