/** Measures the CPU time and memory of the guard that `guardcli build` compiles into Traefik. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildArtefact } from '../../artefacts/build.ts';
import { compiledTraefik } from '../../cli/build/cached.ts';
import { pluginModule } from '../../cli/generate/traefik.ts';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { megabytes, residentBytes } from '../measure/measure.ts';
import type { Row } from '../measure/row.ts';
import { goBudgets, rowsOfLoads } from './loads.ts';
import type { Running } from './side-by-side.ts';
import { routeToBackend, routeToPing, startTraefik } from './traefik.ts';

/**
 * Megabytes that the guard may add: its compiled rules, and Traefik's plugin interpreter, which Traefik then also
 * loads.
 */
const addedMegabytes = 40;

function memoryRow(bare: Running, guarded: Running): Row {
  const [without, withGuard] = [residentBytes(bare.pid), residentBytes(guarded.pid)];
  return {
    name: 'compiled Traefik, resident memory after the load',
    measured: megabytes(withGuard),
    against: `bare ${megabytes(without)}`,
    budget: `<= ${addedMegabytes} MB more`,
    holds: withGuard - without <= addedMegabytes * 1024 * 1024,
  };
}

export async function* benchCompiledTraefik(): AsyncGenerator<Row> {
  const [bareBinary, compiledBinary] = [await buildArtefact('traefik', {}), await compiledTraefik()];
  const folder = scratchFolder('guard-bench-');
  const plugin = join(folder, 'plugins-local', 'src', pluginModule);
  mkdirSync(plugin, { recursive: true });
  cpSync(join(packageRoot, 'module/.traefik.yml'), join(plugin, '.traefik.yml'));
  await using backend = await startTraefik(bareBinary, folder, 'backend', routeToPing);
  await using bare = await startTraefik(bareBinary, folder, 'bare', routeToBackend(backend.url));
  const policy = { methods: ['*'], checkQuery: true, checkBody: true };
  await using guarded = await startTraefik(compiledBinary, folder, 'guarded', routeToBackend(backend.url), policy);
  yield* rowsOfLoads(['compiled Traefik', bare, guarded], goBudgets, folder);
  yield memoryRow(bare, guarded);
}
