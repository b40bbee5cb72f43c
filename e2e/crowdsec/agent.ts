/** Loads observability/crowdsec into a real CrowdSec. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseDocument } from 'yaml';
import { packageRoot } from '../../platform/assets.ts';
import { collectOutput, endChild } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { type CrowdSec, type Release, startCrowdsec } from './process.ts';

export const content = join(packageRoot, 'observability/crowdsec');
const labelType = 'request-guard';
const patienceMs = 60_000;

/** Files that an agent needs in addition to those of the local API. */
const agentFiles = {
  'simulation.yaml': 'simulation: false\n',
  'hub/.index.json': '{"parsers":{},"scenarios":{},"postoverflows":{},"collections":{}}',
};

export interface Alert {
  readonly scenario: string;
  readonly source: { readonly scope: string; readonly value: string };
  readonly events: readonly { readonly meta: readonly { readonly key: string; readonly value: string }[] }[];
}

export interface Agent extends CrowdSec {
  /** Runs the agent on a file with these lines, to its end. Returns the alerts of all runs. */
  readonly replay: (lines: readonly (string | object)[]) => Promise<Alert[]>;
  readonly alerts: () => Alert[];
  /** The output of `cscli explain` for each line. */
  readonly explain: (lines: readonly string[]) => ReadonlyMap<string, string>;
  /** Follows files until the test ends. Resolves when the agent has started to read them. */
  readonly follow: (files: readonly string[], labels?: object) => Promise<void>;
  readonly check: () => { readonly status: number | null; readonly output: string };
}

/** Returns the acquisition file of the package, changed to read these files. */
function acquisition(files: readonly string[], labels: object = {}): string {
  const shipped = parseDocument(readFileSync(join(content, 'acquis.d/request-guard.yaml'), 'utf8'));
  shipped.set('filenames', files);
  for (const [key, value] of Object.entries(labels)) shipped.setIn(['labels', key], value);
  return shipped.toString();
}

/** Returns the commands of docs/crowdsec.md that copy the files, with this folder instead of /etc/crowdsec. */
function copyCommands(folder: string): string {
  const page = readFileSync(join(packageRoot, 'docs/crowdsec.md'), 'utf8');
  const commands = page.match(/^install .*$/gm) ?? [];
  return commands.join('\n').replaceAll('/etc/crowdsec', folder);
}

function installContent(folder: string, { programs }: Release): void {
  mkdirSync(join(folder, 'parsers/s01-parse'), { recursive: true });
  mkdirSync(join(folder, 'scenarios'));
  const { status, stderr } = spawnSync('sh', ['-ec', copyCommands(folder)], { cwd: content, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  for (const name of ['patterns', 'bin']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(agentFiles)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'acquis.yaml'), acquisition([join(folder, 'none.jsonl')]));
  symlinkSync(programs.crowdsec, join(folder, 'bin/crowdsec')); // cscli explain searches PATH for it
}

export const textOf = (lines: readonly (string | object)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

function explanationsByLine(output: string): Map<string, string> {
  const parts = output.split(/^line: /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part]));
}

function agentStarter(t: TestContext) {
  const running: ChildProcess[] = [];
  t.after(() => Promise.all(running.map((child) => endChild(child))));
  return (program: string, args: readonly string[]) => {
    const child = spawn(program, args);
    running.push(child);
    return { child, output: collectOutput(child) };
  };
}

export async function startAgent(t: TestContext, release: Release): Promise<Agent> {
  const start = agentStarter(t); // registered first, so that agents end before their folder is removed
  const crowdsec = await startCrowdsec(t, release);
  const { folder } = crowdsec;
  const { programs } = release;
  installContent(folder, release);
  const config = ['-c', join(folder, 'config.yaml')];
  const quick = { encoding: 'utf8', timeout: patienceMs, maxBuffer: 2 ** 28 } as const;
  const run = (...args: string[]) => start(programs.crowdsec, [...config, '-no-api', ...args]);
  const written = (name: string, lines: readonly (string | object)[]): string => {
    writeFileSync(join(folder, name), textOf(lines));
    return join(folder, name);
  };
  const alerts = (): Alert[] => JSON.parse(crowdsec.cscli('alerts', 'list', '-a', '-l', '0', '-o', 'json')) ?? [];

  return {
    ...crowdsec,
    alerts,
    check: () => {
      const { status, stdout, stderr } = spawnSync(programs.crowdsec, [...config, '-t'], quick);
      return { status, output: stdout + stderr };
    },
    explain: (lines) => {
      const args = [...config, 'explain', '-v', '--type', labelType, '--file', written('explained.jsonl', lines)];
      const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
      const explained = () => {
        const { status, stdout, stderr } = spawnSync(programs.cscli, args, { ...quick, env });
        if (status !== 0) throw new Error(`cscli explain: ${stderr}`);
        return explanationsByLine(stdout);
      };
      // A busy cscli 1.4.6 can leave out a line.
      const first = explained();
      return lines.every((line) => first.has(line)) ? first : explained();
    },
    replay: async (lines) => {
      const { child, output } = run('-type', labelType, '-dsn', `file://${written('replayed.jsonl', lines)}`);
      const [status] = await once(child, 'close');
      if (status !== 0) throw new Error(`crowdsec ended with ${status}: ${output()}`);
      return alerts();
    },
    follow: async (files, labels) => {
      writeFileSync(join(folder, 'acquis.yaml'), acquisition(files, labels));
      const { child, output } = run();
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`crowdsec ended: ${output()}`);
        return output().includes('Starting processing data');
      }, 'the agent to read');
    },
  };
}
