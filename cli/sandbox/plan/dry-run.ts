/** Writes the plan as a shell script with the same effect. The script does not compile absent artefacts. */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { baseImage } from '../../../sandbox-images/bases.ts';
import { quote } from '../../program/quote.ts';
import type { Recipe } from '../image/image.ts';
import type { ContainerSpec, NetworkSpec } from '../runtime/containers.ts';
import { closedNetworkOptions, hardening } from '../runtime/hardening.ts';
import { archive, asVariable, configVariable } from './archive.ts';
import type { Plan, PlannedContainer } from './plan.ts';
import type { ConfigFile } from './proxy.ts';
import { madeUp } from './variables.ts';

const comment = (text: string): string => text.trimEnd().replace(/^/gm, '# ').replace(/ +$/gm, '');

const option = (name: string, values: readonly string[]): string[] => values.flatMap((value) => [name, value]);
const pairs = (fields: Readonly<Record<string, string>>): string[] =>
  Object.entries(fields).map(([key, value]) => `${key}=${value}`);

function publishOption({ hostAddress, hostPort, containerPort }: ContainerSpec['ports'][number]): string {
  return `${hostAddress.includes(':') ? `[${hostAddress}]` : hostAddress}:${hostPort}:${containerPort}`;
}

const hardeningOptions = (): string[] => [
  ...['--user', hardening.user, ...(hardening.readOnlyRoot ? ['--read-only'] : [])],
  ...option('--cap-drop', hardening.dropCapabilities),
  ...option('--security-opt', hardening.securityOptions),
  ...['--memory', String(hardening.memoryBytes), '--memory-swap', String(hardening.memoryBytes)],
  ...['--pids-limit', String(hardening.processes), '--ipc', hardening.ipc],
  ...option(
    '--tmpfs',
    Object.entries(hardening.tmpfs).map(([path, options]) => `${path}:${options}`),
  ),
  ...['--log-driver', hardening.log.driver, ...option('--log-opt', pairs(hardening.log.options))],
];

/** Options for `--env`. The value of a variable of the user is not printed: docker reads it from the shell that runs the line. */
const variables = (env: ContainerSpec['env']): string[] =>
  Object.entries(env).map(([name, value]) => (value === madeUp ? `${name}=${value}` : name));

function containerOptions(spec: ContainerSpec, further: readonly string[]): string[] {
  return [
    ...['--rm', '--name', spec.name],
    ...option('--label', pairs(spec.labels)),
    ...hardeningOptions(),
    ...option('--publish', spec.ports.map(publishOption)),
    ...option('--network', spec.networks.slice(0, 1)),
    ...option(
      '--add-host',
      spec.hostNames.map((name) => `${name}:host-gateway`),
    ),
    ...option('--env', [...variables(spec.env), ...further]),
    spec.image,
  ];
}

const words = (...all: readonly string[]): string => all.map(quote).join(' ');

/** The line that starts a container with its files. An archive too large for a variable is piped to it. */
async function runLine({ spec, files }: PlannedContainer): Promise<string> {
  const packed = await archive(files);
  const value = asVariable(packed);
  if (value === undefined) {
    const text = packed.toString('base64').replace(/.{1,76}/g, '$&\n');
    return `base64 -d <<'GUARD' | ${words('docker', 'run', '-i', ...containerOptions(spec, []))}\n${text}GUARD`;
  }
  const options = containerOptions(spec, [`${configVariable}=${value}`]);
  const [, second] = spec.networks;
  if (second === undefined) return words('docker', 'run', '-d', ...options);
  const steps = [
    ['create', ...options],
    ['network', 'connect', second, spec.name],
    ['start', spec.name],
  ];
  return steps.map((step) => words('docker', ...step)).join(' && ');
}

function buildLine({ tag, dockerfile, artefacts, sources, base, arguments: values }: Recipe): string {
  const members = [dockerfile, ...artefacts].flatMap((path) => ['-C', dirname(path), basename(path)]);
  const copied = sources.flatMap(({ root, paths }) => (paths.length > 0 ? ['-C', root, ...paths] : []));
  const tar = words('tar', '-cf', '-', ...members, ...copied);
  const all = { ...values, ...(base && { BASE: baseImage(base) }) };
  const build = words('docker', 'build', '-t', tag, ...option('--build-arg', pairs(all)), '-');
  return `docker image inspect ${quote(tag)} >/dev/null 2>&1 || ${tar} | ${build}`;
}

const absentNotes = ({ artefacts }: Recipe): string[] =>
  artefacts
    .filter((path) => !existsSync(path))
    .map(
      (path) => `# note: ${path} is absent: run guardcli sandbox without --dry-run, which makes it for the next line`,
    );

const filesText = (files: readonly ConfigFile[]): string =>
  files.map(({ name, text }) => `# --- ${name}\n${comment(text)}`).join('\n');

function networkLine({ name, labels }: NetworkSpec): string {
  const options = [...option('-o', pairs(closedNetworkOptions)), ...option('--label', pairs(labels))];
  return words('docker', 'network', 'create', '--internal', ...options, name);
}

/** Returns the script: the configuration as comments, a line that builds a missing image, and lines that start the containers. */
export async function dryRun({ sandbox, isolation, notes }: Plan, recipe: Recipe): Promise<string> {
  const lines = [
    ...notes.map((note) => `# note: ${note}`),
    filesText(sandbox.files),
    ...absentNotes(recipe),
    buildLine(recipe),
  ];
  if (isolation) lines.push(networkLine(isolation.network));
  lines.push(await runLine(sandbox));
  if (isolation) lines.push(await runLine(isolation.gate));
  return lines.join('\n');
}
