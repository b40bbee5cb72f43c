/** Runs a compose project with any compose tool. The tool chooses the container runtime. */
import { dirname } from 'node:path';
import { isFullDisk } from '../platform/cache.ts';
import { command, lastLines, type OutputStream } from '../platform/command.ts';
import { ExternalError } from '../platform/errors.ts';
import { type Found, findTool, type Run } from './find.ts';
import { HiddenText } from './hidden-text.ts';
import { type ContainerState, parseListing } from './listing.ts';

export interface Project {
  readonly name: string;
  readonly file: string;
  /** The environment of the tool, with the variables of the compose file. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Results and errors show `***` instead of this value, because services log it in URLs and podman-compose prints it.
   */
  readonly secret: string;
}

export interface Watch {
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
}

/** The operations on a project. Each one throws ExternalError when the tool fails. */
export interface Compose {
  /** Name of the tool, for messages. */
  readonly tool: string;
  readonly containers: (watch?: Watch) => Promise<ContainerState[]>;
  /** Pulls the image of a service unless it is here. */
  readonly pull: (service: string, watch?: Watch) => Promise<void>;
  /** Creates the containers that are missing or have changed, and starts them. Does not wait until they are healthy. */
  readonly up: (services: readonly string[], watch?: Watch) => Promise<void>;
  readonly down: (volumes: boolean, watch?: Watch) => Promise<void>;
  readonly logs: (service: string) => Promise<string>;
}

interface Failure {
  readonly pattern: RegExp;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Causes that compose tools report only as text, and what to do. */
const failures: readonly Failure[] = [
  {
    pattern: /permission denied.*(?:docker|podman)\S*\.sock|docker\.sock.*permission denied/i,
    code: 'runtime_denied',
    message: 'you may not use the container runtime',
    hint: 'add yourself to the group docker and log in again, or use a rootless runtime',
  },
  {
    pattern:
      /cannot connect to the docker daemon|is the docker daemon running|failed to connect to the docker api|cannot connect to podman|error during connect/i,
    code: 'no_runtime',
    message: 'the container runtime does not respond',
    hint: 'start Docker or Podman, or correct DOCKER_HOST or the Docker context',
  },
  {
    pattern: /address already in use|port is already allocated/i,
    code: 'port_in_use',
    message: 'a port of the stack is in use',
    hint: 'stop what listens on it, or choose another one: --port, --loki-port',
  },
];

function explained(error: unknown): unknown {
  if (!(error instanceof ExternalError)) return error;
  if (isFullDisk(error))
    return new ExternalError('the disk of the container runtime is full', {
      code: 'disk_full',
      hint: 'free space there (docker system df shows what takes it)',
      failed: error.failed,
      cause: error,
    });
  const known = failures.find(({ pattern }) => pattern.test(`${error.message}\n${error.failed.output ?? ''}`));
  if (!known) return error;
  const { code, message, hint } = known;
  return new ExternalError(message, { code, hint, failed: { ...error.failed }, cause: error });
}

const onTextOf = (onLine: Watch['onLine']) => (text: string) => {
  for (const line of lastLines(text).split('\n')) if (line.trim() !== '') onLine?.(line.trim());
};

/** Replaces the secret by `***` in the returned output, in its pieces as they arrive, and in errors. */
function hiding(secret: string, run: Run): Run {
  const { hide } = new HiddenText(secret);
  return async (program, words, options) => {
    const onText = options?.onText;
    const streams = { stdout: new HiddenText(secret), stderr: new HiddenText(secret) };
    const shown = onText && {
      onText: (text: string, stream: OutputStream) => onText(streams[stream].add(text), stream),
    };
    try {
      return hide(await run(program, words, { ...options, ...shown }));
    } catch (error) {
      if (!(error instanceof ExternalError) || error.failed.output === undefined) throw error;
      const { message, code, failed } = error;
      throw new ExternalError(hide(message), { code, failed: { ...failed, output: hide(failed.output ?? '') } });
    } finally {
      for (const stream of ['stdout', 'stderr'] as const) onText?.(streams[stream].flush(), stream);
    }
  };
}

const logLines = 10;

export function composeWith({ tool, version }: Found, project: Project, run: Run = command): Compose {
  const options = { cwd: dirname(project.file), env: { ...project.variables } };
  const hidingRun = hiding(project.secret, run);
  const call = async (args: readonly string[], { signal, onLine }: Watch = {}): Promise<string> => {
    const words = [...tool.prefix, '--file', project.file, '--project-name', project.name, ...args];
    try {
      return await hidingRun(tool.program, words, { ...options, signal, ...(onLine && { onText: onTextOf(onLine) }) });
    } catch (error) {
      throw explained(error);
    }
  };
  return {
    tool: `${tool.name} ${version}`,
    containers: async (watch) => parseListing(await call(tool.listing, watch)),
    pull: async (service, watch) => void (await call(['pull', service], watch)),
    up: async (services, watch) => void (await call(['up', '--detach', '--remove-orphans', ...services], watch)),
    down: async (volumes, watch) => {
      await call(['down', '--remove-orphans', ...(volumes ? ['--volumes'] : [])], watch);
    },
    logs: async (service) => lastLines(await call(['logs', '--tail', String(logLines), service]), logLines),
  };
}

/** Opens a project with the first tool that works. @throws ExternalError when no tool works */
export const openProject = async (project: Project, signal?: AbortSignal): Promise<Compose> =>
  composeWith(await findTool({ env: project.variables, signal }), project);
