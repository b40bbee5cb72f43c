/** Writes the plan as a shell script with the same effect. */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ContainerSpec, NetworkSpec } from '../../../containers/containers.ts';
import { closedNetworkOptions, hardening } from '../../../containers/hardening.ts';
import { baseImage } from '../../../sandbox-images/bases.ts';
import { quote } from '../../program/quote.ts';
import type { Recipe } from '../image/image.ts';
import { asVariable, configVariable, packArchive } from './archive.ts';
import type { Plan, PlannedContainer } from './plan.ts';
import type { ConfigFile } from './proxy.ts';
import { madeUpValue } from './variables.ts';

const commentText = (text: string): string => text.trimEnd().replace(/^/gm, '# ').replace(/ +$/gm, '');

const repeatOption = (name: string, values: readonly string[]): string[] => values.flatMap((value) => [name, value]);
const pairTexts = (fields: Readonly<Record<string, string>>): string[] =>
  Object.entries(fields).map(([key, value]) => `${key}=${value}`);

function publishOption({ hostAddress, hostPort, containerPort }: ContainerSpec['ports'][number]): string {
  return `${hostAddress.includes(':') ? `[${hostAddress}]` : hostAddress}:${hostPort}:${containerPort}`;
}

const hardeningOptions = (): string[] => [
  ...['--user', hardening.user, ...(hardening.readOnlyRoot ? ['--read-only'] : [])],
  ...repeatOption('--cap-drop', hardening.dropCapabilities),
  ...repeatOption('--security-opt', hardening.securityOptions),
  ...['--memory', String(hardening.memoryBytes), '--memory-swap', String(hardening.memoryBytes)],
  ...['--pids-limit', String(hardening.processes), '--ipc', hardening.ipc],
  ...repeatOption(
    '--tmpfs',
    Object.entries(hardening.tmpfs).map(([path, options]) => `${path}:${options}`),
  ),
  ...['--log-driver', hardening.log.driver, ...repeatOption('--log-opt', pairTexts(hardening.log.options))],
];

/**
 * Returns the options that pass variables. A value of the user is not printed: docker reads it from the shell that runs
 * the line.
 */
const variableOptions = (env: ContainerSpec['env']): string[] =>
  Object.entries(env).map(([name, value]) => (value === madeUpValue ? `${name}=${value}` : name));

function containerOptions(spec: ContainerSpec, further: readonly string[]): string[] {
  return [
    ...['--rm', '--name', spec.name],
    ...repeatOption('--label', pairTexts(spec.labels)),
    ...hardeningOptions(),
    ...repeatOption('--publish', spec.ports.map(publishOption)),
    ...repeatOption('--network', spec.networks.slice(0, 1)),
    ...repeatOption(
      '--add-host',
      spec.hostNames.map((name) => `${name}:host-gateway`),
    ),
    ...repeatOption('--env', [...variableOptions(spec.env), ...further]),
    spec.image,
  ];
}

const quotedWords = (...all: readonly string[]): string => all.map(quote).join(' ');

/** An archive that is too large for a variable is piped to the container. */
async function runLine({ spec, files }: PlannedContainer): Promise<string> {
  const packed = await packArchive(files);
  const value = asVariable(packed);
  if (value === undefined) {
    const text = packed.toString('base64').replace(/.{1,76}/g, '$&\n');
    return `base64 -d <<'GUARD' | ${quotedWords('docker', 'run', '-i', ...containerOptions(spec, []))}\n${text}GUARD`;
  }
  const options = containerOptions(spec, [`${configVariable}=${value}`]);
  const [, second] = spec.networks;
  if (second === undefined) return quotedWords('docker', 'run', '-d', ...options);
  const steps = [
    ['create', ...options],
    ['network', 'connect', second, spec.name],
    ['start', spec.name],
  ];
  return steps.map((step) => quotedWords('docker', ...step)).join(' && ');
}

function buildLine({ tag, dockerfile, stage, artefacts, sources, base, arguments: values }: Recipe): string {
  const members = [dockerfile, ...artefacts].flatMap((path) => ['-C', dirname(path), basename(path)]);
  const copied = sources.flatMap(({ root, paths }) => (paths.length > 0 ? ['-C', root, ...paths] : []));
  const tar = quotedWords('tar', '-cf', '-', ...members, ...copied);
  const all = { ...values, ...(base && { BASE: baseImage(base) }) };
  const target = stage === undefined ? [] : ['--target', stage];
  const options = ['-t', tag, ...target, ...repeatOption('--build-arg', pairTexts(all))];
  const build = quotedWords('docker', 'build', ...options, '-');
  return `docker image inspect ${quote(tag)} >/dev/null 2>&1 || ${tar} | ${build}`;
}

const absentNotes = ({ artefacts }: Recipe): string[] =>
  artefacts
    .filter((path) => !existsSync(path))
    .map(
      (path) => `# note: ${path} is absent: run guardcli sandbox without --dry-run, which makes it for the next line`,
    );

const filesText = (files: readonly ConfigFile[]): string =>
  files.map(({ name, text }) => `# --- ${name}\n${commentText(text)}`).join('\n');

function networkLine({ name, labels }: NetworkSpec): string {
  const options = [
    ...repeatOption('-o', pairTexts(closedNetworkOptions)),
    ...repeatOption('--label', pairTexts(labels)),
  ];
  return quotedWords('docker', 'network', 'create', '--internal', ...options, name);
}

/** Returns the plan as a script, which does not compile absent artefacts. */
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
