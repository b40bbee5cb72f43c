/** Runs CrowdSec without its hub, its central API or files of this machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { buildArtefact, isBuilt } from '../../artefacts/build.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { endChild, hasEnded } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';

export interface Programs {
  readonly crowdsec: string;
  readonly cscli: string;
}

export interface Release {
  readonly version: string;
  readonly hasUsage: boolean;
  /** The name that `cscli simulation` uses for a scenario outside of the hub. */
  readonly localName: (name: string) => string;
  /** True when `cscli explain -v` prints the fields that a parser sets. */
  readonly explainsFields: boolean;
  readonly programs: Programs;
  /** The reason why tests with this release cannot run here. */
  readonly skip: string | false;
}

/** Folder of CrowdSec's programs in the test image. */
const programsFolder = '/opt/crowdsec/usr/bin';
const programsOfDebian: Programs = { crowdsec: join(programsFolder, 'crowdsec'), cscli: join(programsFolder, 'cscli') };

/** Returns undefined when CrowdSec has not been compiled, which takes minutes. */
async function compiledPrograms(): Promise<Programs | undefined> {
  for (const name of ['crowdsec', 'cscli'] as const) if (!(await isBuilt(name))) return undefined;
  return { crowdsec: await buildArtefact('crowdsec'), cscli: await buildArtefact('cscli') };
}
const programsOfCache = await compiledPrograms();

/** The tested releases. Their responses differ. */
export const releases: readonly Release[] = [
  {
    version: '1.4.6',
    hasUsage: false,
    localName: (name) => `${name.replace('/', '-')}.yaml`,
    explainsFields: false,
    programs: programsOfDebian,
    skip: existsSync(programsOfDebian.crowdsec) ? false : 'only the test image has it',
  },
  {
    version: '1.7.8',
    hasUsage: true,
    localName: (name) => name,
    explainsFields: true,
    programs: programsOfCache ?? programsOfDebian,
    skip: programsOfCache ? false : 'it is not compiled: scripts/bootstrap crowdsec cscli',
  },
];

/** Timeout of cscli in milliseconds, because cscli retries for a long time when no server responds. */
const patienceMs = 60_000;

const config = (folder: string, port: number): string => `
common: {log_media: stdout, log_level: info, daemonize: true}
config_paths: {config_dir: ${folder}, data_dir: ${folder}/data, hub_dir: ${folder}/hub, index_path: ${folder}/hub/.index.json, simulation_path: ${folder}/simulation.yaml}
crowdsec_service: {acquisition_path: ${folder}/acquis.yaml, parser_routines: 1}
cscli: {hub_branch: master}
db_config: {type: sqlite, db_path: ${folder}/data/crowdsec.db, use_wal: true}
api:
  client: {credentials_path: ${folder}/credentials.yaml}
  server: {listen_uri: "127.0.0.1:${port}", profiles_path: ${folder}/profiles.yaml}
prometheus: {enabled: false}
`;

const profiles = `
name: default
filters: [Alert.Remediation == true]
decisions: [{type: ban, duration: 4h}]
on_success: break
`;

export const machine = { id: 'guard', password: 'a-password-for-tests' } as const;

export interface CrowdSec {
  readonly url: string;
  readonly apiKey: string;
  readonly cscli: (...args: string[]) => string;
  /** Path of the SQLite file. */
  readonly database: string;
  /** The folder that contains config.yaml. */
  readonly folder: string;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

function writeConfiguration(folder: string, port: number): void {
  mkdirSync(join(folder, 'data'));
  mkdirSync(join(folder, 'hub'));
  writeFileSync(join(folder, 'config.yaml'), config(folder, port));
  writeFileSync(join(folder, 'profiles.yaml'), profiles);
}

function cscliIn(folder: string, { cscli }: Programs) {
  return (...args: string[]): string => {
    const all = ['-c', join(folder, 'config.yaml'), ...args];
    const { status, stdout, stderr } = spawnSync(cscli, all, {
      encoding: 'utf8',
      timeout: patienceMs,
    });
    if (status !== 0) throw new Error(`cscli ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
}

const isResponding = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    async (response) => response.ok && (await response.text()) !== '',
    () => false,
  );

/** Starts the local API with one machine and one bouncer. */
export async function startCrowdsec(t: TestContext, { programs }: Release): Promise<CrowdSec> {
  const folder = scratchFolder('guard-crowdsec-');
  const port = await freePort();
  writeConfiguration(folder, port);
  const cscli = cscliIn(folder, programs);
  cscli('machines', 'add', machine.id, '-p', machine.password, '-f', join(folder, 'credentials.yaml'));
  const apiKey = 'a-key-for-tests';
  cscli('bouncers', 'add', 'guard', '-k', apiKey);
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const kill = async () => child && endChild(child);
  const start = () =>
    until(() => {
      // CrowdSec exits when its port is in use. Another connection may have received the port meanwhile.
      if (!child || hasEnded(child))
        child = spawn(programs.crowdsec, ['-c', join(folder, 'config.yaml'), '-no-cs'], { stdio: 'ignore' });
      return isResponding(url);
    }, 'CrowdSec to answer');
  t.after(kill);
  await start();
  return { url, apiKey, cscli, database: join(folder, 'data/crowdsec.db'), folder, start, kill };
}
