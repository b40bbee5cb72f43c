/** A person uses each application in a browser, and the guard in Caddy blocks nothing. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { findBrowser } from '../../cli/probes/browser/find.ts';
import { launchBrowser } from '../../cli/probes/browser/run.ts';
import { applications } from './index.ts';
import { runSession } from './session.ts';

let running: Promise<Browser> | undefined;
after(async () => (await running)?.close());

for (const application of applications)
  test(`${application.name}: a session in a browser has no blocked request`, {
    skip: existsSync(application.installed) ? false : `${application.name} is not installed`,
  }, async (t) => {
    running ??= launchBrowser(findBrowser(process.env) ?? assert.fail('the test image has no Chromium'));
    const browser = await running;
    const session = () => runSession(application, browser);
    const first = await session();
    if (first.failure) t.diagnostic(first.failure.message);
    // A page that is still loading loses an action at times. The guard is not the cause when it blocks nothing.
    const isRepeated = first.failure !== undefined && first.events.length === 0;
    const { recording, events, failure } = isRepeated ? await session() : first;
    assert.deepEqual(events, []);
    assert.ifError(failure);
    t.diagnostic(`${recording.length} distinct requests`);
    // The kept recording has at least 100; a page may load a script less.
    assert.ok(recording.length >= 75, `${recording.length} distinct requests`);
  });
