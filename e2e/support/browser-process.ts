/** The browser of the test image, even on machines with another one. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { findBrowser } from '../../cli/probes/browser/find.ts';
import { launchBrowser } from '../../cli/probes/browser/run.ts';
import { packageRoot } from '../../platform/assets.ts';

export const env = { ...process.env, PATH: join(packageRoot, 'scripts/test-image/bin') };

let runningBrowser: Promise<Browser> | undefined;

/** All tests of a file share the browser, because each browser of the test image starts a container. */
export const sharedBrowser = (): Promise<Browser> => {
  runningBrowser ??= launchBrowser(findBrowser(env) ?? assert.fail('the test image has no Chromium'));
  return runningBrowser;
};

after(async () => (await runningBrowser)?.close());
