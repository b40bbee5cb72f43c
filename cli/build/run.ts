import { delimiter, dirname } from 'node:path';
import type { GoTools } from '../../artefacts/go.ts';
import { isFullDisk } from '../../platform/cache.ts';
import { command } from '../../platform/command.ts';
import { ExternalError, UsageError } from '../../platform/errors.ts';
import type { ProgramSpec, Step, StepName } from './steps.ts';

export interface BuildEnvironment {
  readonly folder: string;
  readonly go: GoTools;
  /** Variables with which Go compiles for the chosen platform. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

const runners: Record<Step['runs'], (text: string, environment: BuildEnvironment) => Promise<unknown>> = {
  shell: (text, { folder, signal, onText }) => command('sh', ['-e', '-c', text], { cwd: folder, signal, onText }),
  go: (text, { go, folder, env, signal, onText }) => go.run({ folder, text, env, signal, onText }),
  // Runs the same Node as guardcli, even if PATH finds another one.
  node: (text, { folder, signal, onText }) => {
    const env = { TMPDIR: folder, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
    return command('sh', ['-e', '-c', text], { cwd: folder, env, signal, onText });
  },
};

const isModuleAbsent = (output: string): boolean =>
  /unknown revision|no matching versions|invalid version|malformed|not found|not available|does not contain package|unrecognized import path/i.test(
    output,
  );

const isRegistryUnreachable = (output: string): boolean => /reading https?:\/\/|dial tcp|lookup \S+ on/.test(output);

interface Failure {
  readonly message: string;
  readonly code: string;
  readonly hint: string;
}

type Explain = (spec: ProgramSpec, output: string) => Failure | undefined;

/** Explains failures by step. A function returns undefined when the error of the program is clear enough. */
const failureExplanations: Partial<Record<StepName, Explain>> = {
  download: ({ proxy, version }, output) =>
    isModuleAbsent(output)
      ? {
          message: `${proxy.title} ${version} cannot be downloaded`,
          code: 'unknown_version',
          hint: `choose a release: go list -m -versions ${proxy.module.path} lists them`,
        }
      : undefined,
  modules: ({ modules }, output) => ({
    message: `${modules.join(' and ')} cannot be added`,
    code: 'bad_module',
    hint: isModuleAbsent(output)
      ? 'check the module path and the version after --with'
      : 'choose versions that fit each other and --version',
  }),
  webui: ({ proxy }) => ({
    message: `the web interface of ${proxy.title} cannot be built`,
    code: 'no_webui',
    hint: '--without-webui builds the program without it',
  }),
  compile: ({ proxy, version }, output) =>
    isRegistryUnreachable(output)
      ? {
          message: `the modules of ${proxy.title} ${version} cannot be downloaded`,
          code: 'not_downloaded',
          hint: 'check the network and GOPROXY',
        }
      : {
          message: `${proxy.title} ${version} does not compile with the guard`,
          code: 'not_compiled',
          hint: `without --version, the tested version ${proxy.module.pinned} is built`,
        },
};

function explainedError(step: Step, spec: ProgramSpec, { folder }: BuildEnvironment, cause: unknown): unknown {
  if (!(cause instanceof ExternalError)) return cause;
  const { failed } = cause;
  if (isFullDisk(cause)) {
    const hint = `free space in ${folder}, in the caches of Go, or set TMPDIR to a folder on another disk`;
    return new ExternalError(`the disk is full: ${step.title} failed`, { code: 'disk_full', hint, failed, cause });
  }
  const failure = failureExplanations[step.name]?.(spec, failed.output ?? '');
  if (!failure) return cause;
  const { message, ...details } = failure;
  return new ExternalError(message, { ...details, failed, cause });
}

/** Runs a step of a build. @throws GuardError with the last lines of the program that failed */
export async function runStep(step: Step, spec: ProgramSpec, environment: BuildEnvironment): Promise<void> {
  try {
    await runners[step.runs](step.lines.join('\n'), environment);
  } catch (error) {
    throw explainedError(step, spec, environment, error);
  }
}

/**
 * Parses `3.7.10` or `v3.7.10`.
 * @throws UsageError when the text is not a version, or has another major version than the pinned one
 */
export function versionFrom(text: string, { title, module }: ProgramSpec['proxy']): string {
  const major = /^v\d+/.exec(module.pinned)?.[0] ?? '';
  const version = `v${text.replace(/^v/, '')}`;
  if (/^v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version) && version.startsWith(`${major}.`)) return version;
  throw new UsageError(`--version is ${JSON.stringify(text)}`, {
    code: 'bad_version',
    hint: `pass a release of ${title} ${major.slice(1)}, such as ${module.pinned}`,
  });
}
