/** Measures the cost of the guard in Caddy: with the defaults, and in front of a backend with all inspections. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArtefact } from '../../artefacts/build.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { type Row, rowsIn } from '../measure/row.ts';
import { goBudgets, rowsOfLoads } from './loads.ts';
import { type Running, sideBySide, start } from './side-by-side.ts';

const guardWithAllInspections = 'guard {\n\t\t\tmethods *\n\t\t\tcheck_query true\n\t\t\tcheck_body true\n\t\t}';

type Options = [binary: string, folder: string, name: string, guard: string, handler?: string];

/** Starts a Caddy on a free port. `guard` is its directive, or empty. */
export async function startCaddy(...[binary, folder, name, guard, handler = 'respond ok']: Options): Promise<Running> {
  const port = await freePort();
  const file = join(folder, `${name}.Caddyfile`);
  const site = `:${port} {\n\tbind 127.0.0.1\n\troute {\n\t\t${guard}\n\t\t${handler}\n\t}\n}\n`;
  writeFileSync(file, `{\n\tadmin off\n\tpersist_config off\n\tauto_https off\n}\n${site}`);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const command = [binary, 'run', '--adapter', 'caddyfile', '--config', file];
  return start(command, port, '/assets/app.3f2a.css', { env });
}

export async function* benchCaddy(): AsyncGenerator<Row> {
  const binary = await buildArtefact('caddy', {});
  const folder = scratchFolder('guard-bench-');
  await using backend = await startCaddy(binary, folder, 'bare', '');
  await using clean = await startCaddy(binary, folder, 'guarded', 'guard');
  yield* rowsIn('Caddy', () => sideBySide('Caddy', 0.95, backend, clean));
  const handler = `reverse_proxy ${new URL(backend.url).host}`;
  await using bare = await startCaddy(binary, folder, 'proxy', '', handler);
  await using guarded = await startCaddy(binary, folder, 'guarded-proxy', guardWithAllInspections, handler);
  yield* rowsOfLoads(['Caddy', bare, guarded], goBudgets, folder);
}
