/** Go in a container, for machines without Go. Its module and build caches are named volumes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { command } from '../platform/command.ts';
import { ExternalError } from '../platform/errors.ts';
import { baseImage, didRegistryRespond } from '../sandbox-images/bases.ts';
import { buildArgs, buildEnvironment, type GoBuild, type GoScript, type GoTools } from './go.ts';
import { builderLabel, containerTool } from './published.ts';
import { sourceFiles } from './sources.ts';

const volumes = { 'request-guard-go-mod': '/go/pkg/mod', 'request-guard-go-build': '/root/.cache/go-build' };

/** Variables that set where Go gets modules. The container inherits those of this machine. */
const moduleVariables = ['GOPROXY', 'GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOSUMDB'];

/**
 * A shell script in a container. Files enter and leave through its standard streams, so that a remote container runtime
 * works too.
 */
interface Run {
  readonly tool: string;
  readonly image: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal?: AbortSignal | undefined;
  readonly onText?: ((text: string) => void) | undefined;
}

async function run({ tool, image, script, env, ...streams }: Run): Promise<void> {
  const { signal } = streams;
  for (const name of Object.keys(volumes)) await command(tool, ['volume', 'create', builderLabel, name], { signal });
  const mounts = Object.entries(volumes).map(([name, path]) => `--volume=${name}:${path}`);
  const variables = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
  const passed = moduleVariables.map((name) => `--env=${name}`);
  const options = ['--rm', '--init', '--interactive', builderLabel, ...mounts, ...variables, ...passed];
  await command(tool, ['run', ...options, image, 'sh', '-e', '-c', script], streams);
}

function build(tool: string, image: string, { artefact, arch, root, output, signal, onText }: GoBuild): Promise<void> {
  const quoted = buildArgs(artefact, '/tmp/out').map((arg) => `'${arg}'`);
  const script = `mkdir /src\ncd /src\ntar -x\ncd ${artefact.source}\ngo ${quoted.join(' ')} >&2\ncat /tmp/out`;
  const sources = spawn('tar', ['-c', '-f', '-', ...sourceFiles(root, artefact.inputs)], { cwd: root });
  return run({
    ...{ tool, image, script, signal, onText },
    env: buildEnvironment(artefact, arch),
    input: sources.stdout,
    output: createWriteStream(output, { mode: 0o755 }),
  });
}

/** Runs the script in a copy of the folder, then replaces the files of the folder. */
async function runScript(tool: string, image: string, { folder, text, ...given }: GoScript): Promise<void> {
  const packed = spawn('tar', ['-c', '-f', '-', '.'], { cwd: folder });
  const unpacked = spawn('tar', ['-x', '-f', '-'], { cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(unpacked, 'close');
  const script = `mkdir /build\ncd /build\ntar -x\n{\n${text}\n} >&2\ntar -c .`;
  await run({ ...given, tool, image, script, input: packed.stdout, output: unpacked.stdin });
  const [status] = await ended;
  if (status === 0) return;
  throw new ExternalError(`the result of the container cannot be unpacked in ${folder}: tar ended with ${status}`, {
    code: 'command_failed',
    failed: { tool: 'tar' },
  });
}

/** Returns a compiler in a container, or undefined without a container runtime or an image. */
export async function findContainerGo(): Promise<GoTools | undefined> {
  const image = baseImage('golang');
  const tool = await containerTool();
  if (tool === undefined) return undefined;
  const hasImage = (): Promise<boolean> =>
    command(tool, ['image', 'inspect', image]).then(
      () => true,
      () => false,
    );
  const canPull = process.env.GUARD_BASE_PREFIX || didRegistryRespond() !== false;
  if (!canPull && !(await hasImage())) return undefined;
  return { id: image, build: (job) => build(tool, image, job), run: (script) => runScript(tool, image, script) };
}
