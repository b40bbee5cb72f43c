/** Runs the cases in observability/crowdsec/hubtest with `cscli hubtest`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { freePort } from '../support/guardcli.ts';
import { content } from './agent.ts';
import { releases } from './process.ts';

/** Not 1.4.6, whose `hubtest` requires the public hub. */
const release = releases.find(({ version }) => version === '1.7.8') as (typeof releases)[number];
/** Ten minutes, because `hubtest` starts CrowdSec for each case. */
const patienceMs = 600_000;

const kinds = { parsers: 'parsers/s01-parse', scenarios: 'scenarios' } as const;
const otherKinds = ['postoverflows', 'collections', 'contexts', 'appsec-configs', 'appsec-rules'];

/** Copies our parsers or scenarios into a private hub. Returns their entries for its index. */
function addItems(hub: string, kind: keyof typeof kinds): Record<string, object> {
  const from = join(content, kinds[kind]);
  const entries = readdirSync(from).map((file) => {
    const text = readFileSync(join(from, file), 'utf8');
    const { name } = parse(text) as { name: string };
    const path = join(kinds[kind], `${name}.yaml`);
    mkdirSync(join(hub, path, '..'), { recursive: true });
    writeFileSync(join(hub, path), text);
    const digest = createHash('sha256').update(text).digest('hex');
    const entry = { path, version: '0.1', versions: { '0.1': { digest, deprecated: false } }, author: 'request-guard' };
    return [name, { ...entry, ...(kind === 'parsers' && { stage: basename(kinds.parsers) }) }];
  });
  return Object.fromEntries(entries);
}

const template = (port: number, folder: string): string => `
common: {daemonize: false, log_media: stdout, log_level: info}
config_paths: {config_dir: ${folder}, data_dir: ${folder}/data, simulation_path: ${folder}/simulation.yaml, hub_dir: ${folder}/hub, index_path: ${folder}/hub/.index.json}
crowdsec_service: {parser_routines: 1}
db_config: {type: sqlite, db_path: ${folder}/data/crowdsec.db}
api:
  client: {credentials_path: ${folder}/local_api_credentials.yaml}
  server: {listen_uri: "127.0.0.1:${port}", profiles_path: ${folder}/profiles.yaml}
prometheus: {enabled: false}
`;

async function makeHub(): Promise<string> {
  const root = scratchFolder('guard-hub-');
  const hub = join(root, 'hub');
  for (const folder of ['hub', 'patterns', 'data']) mkdirSync(join(root, folder));
  const tests = join(hub, '.tests');
  cpSync(join(content, 'hubtest'), tests, { recursive: true });
  const index = { parsers: addItems(hub, 'parsers'), scenarios: addItems(hub, 'scenarios') };
  const empty = Object.fromEntries(otherKinds.map((kind) => [kind, {}]));
  writeFileSync(join(hub, '.index.json'), JSON.stringify({ ...index, ...empty }));
  writeFileSync(join(tests, 'template_config2.yaml'), template(await freePort(), './runtime'));
  writeFileSync(join(tests, 'template_simulation.yaml'), 'simulation: false\n');
  writeFileSync(
    join(tests, 'template_profiles.yaml'),
    'name: default\nfilters: [Alert.Remediation == true]\ndecisions: [{type: ban, duration: 4h}]\non_success: break\n',
  );
  writeFileSync(join(root, 'config.yaml'), template(await freePort(), root));
  return root;
}

test('cscli hubtest finds what each case expects', { skip: release.skip, timeout: patienceMs }, async () => {
  const root = await makeHub();
  const { crowdsec, cscli } = release.programs;
  const places = ['--hub', join(root, 'hub'), '--crowdsec', crowdsec, '--cscli', cscli];
  // One job at a time, because all runs listen on the same port.
  const args = [
    '-c',
    join(root, 'config.yaml'),
    'hubtest',
    'run',
    '--all',
    '--report-success',
    '--max-jobs',
    '1',
    ...places,
  ];
  const { status, stdout, stderr } = spawnSync(cscli, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patienceMs,
  });
  assert.equal(status, 0, stdout + stderr);
  for (const name of readdirSync(join(content, 'hubtest'))) assert.match(stdout, new RegExp(`${name} .*✅`), stdout);
});
