/** The web interface of a Traefik that `guardcli build` made, in a real browser. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { wantedTraefik } from '../../cli/build/cached.ts';
import { runStep, type Workshop } from '../../cli/build/run.ts';
import { stepsOf } from '../../cli/build/steps.ts';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/until.ts';
import { findGo, ownArch } from '../../sandbox-images/build.ts';
import { environmentFor, goOnMachine } from '../../sandbox-images/go.ts';
import { browser } from '../support/browser-process.ts';
import { freePort } from '../support/guardcli.ts';

const skip = (await goOnMachine()) ? false : 'there is no Go to compile with';

/** A release whose web interface needs only packages that every npm registry has. */
const sourcesOf = 'github.com/traefik/traefik/v3@v3.6.12';

/** Replaces the sources that the build would use. */
async function replaceSources(folder: string): Promise<void> {
  await command('go', ['mod', 'download', sourcesOf], { cwd: scratchFolder('guard-go-') });
  const listed = await command('go', ['list', '-m', '-f', '{{.Dir}}', sourcesOf], { cwd: scratchFolder('guard-go-') });
  rmSync(join(folder, 'webui'), { recursive: true });
  cpSync(join(listed.trim(), 'webui'), join(folder, 'webui'), { recursive: true });
  await command('chmod', ['-R', 'u+w', join(folder, 'webui')]);
}

/** The steps of the build. Returns the folder with the program. */
async function buildTraefik(t: TestContext): Promise<string> {
  const folder = scratchFolder('guard-built-');
  const wanted = { ...wantedTraefik(), hasWebInterface: true };
  const env = environmentFor({ os: 'linux', arch: ownArch() });
  const workshop: Workshop = { folder, go: await findGo(), env, signal: t.signal, onText: () => {} };
  for (const step of stepsOf(wanted, packageRoot)) {
    if (step.name === 'webui') await replaceSources(folder);
    await runStep(step, wanted, workshop);
  }
  return folder;
}

test('the built web interface shows the middleware of the guard in Chromium', { skip }, async (t) => {
  const folder = await buildTraefik(t);
  const plugin = join(folder, 'plugins-local/src/github.com/request-guard/guard');
  cpSync(join(packageRoot, 'module/.traefik.yml'), join(plugin, '.traefik.yml'));
  const port = await freePort();
  const dynamic = {
    http: {
      middlewares: { guard: { plugin: { guard: { checkQuery: true } } } },
      routers: {
        api: {
          rule: 'PathPrefix(`/api`) || PathPrefix(`/dashboard`)',
          service: 'api@internal',
          middlewares: ['guard'],
        },
      },
    },
  };
  writeFileSync(join(folder, 'dynamic.yml'), JSON.stringify(dynamic));
  const fixed = {
    api: {},
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    entryPoints: { web: { address: `127.0.0.1:${port}` } },
    providers: { file: { filename: join(folder, 'dynamic.yml') } },
    experimental: { localPlugins: { guard: { moduleName: 'github.com/request-guard/guard' } } },
  };
  writeFileSync(join(folder, 'traefik.yml'), JSON.stringify(fixed));
  const child = spawn(join(folder, 'traefik'), ['--configFile=traefik.yml'], { cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  // The browser resolves no other name.
  const url = `http://localhost:${port}/dashboard/`;
  const serves = (): Promise<boolean> =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(serves, 'Traefik to serve its web interface');
  assert.equal((await fetch(`${url}.env`)).status, 403);
  const page = await (await browser()).newPage();
  await page.goto(`${url}#/http/middlewares`);
  await page.getByText('guard@file').first().waitFor();
});
