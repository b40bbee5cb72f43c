/** Go in a container, for machines without Go. Its module and build caches are named volumes. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { command } from '../platform/command.ts';
import { baseImage, registryAnswers } from './bases.ts';
import { buildArgs, buildEnvironment, type Compiler, type GoBuild } from './go.ts';
import { builderLabel, containerTool } from './published.ts';
import { sourceFiles } from './sources.ts';

const volumes = { 'request-guard-go-mod': '/go/pkg/mod', 'request-guard-go-build': '/root/.cache/go-build' };

/**
 * The script of the container. Sources arrive as a tar and the binary leaves as a stream, so that a remote container
 * runtime works too.
 */
function script({ artefact }: GoBuild): string {
  const quoted = buildArgs(artefact, '/tmp/out').map((arg) => `'${arg}'`);
  return `mkdir /src && cd /src && tar -x && cd ${artefact.source} && go ${quoted.join(' ')} >&2 && cat /tmp/out`;
}

function runArgs(job: GoBuild, image: string): string[] {
  const mounts = Object.entries(volumes).map(([name, path]) => `--volume=${name}:${path}`);
  const variables = Object.entries(buildEnvironment(job.artefact, job.arch)).map(
    ([name, value]) => `--env=${name}=${value}`,
  );
  return [
    'run',
    '--rm',
    '--init',
    '--interactive',
    builderLabel,
    ...mounts,
    ...variables,
    image,
    'sh',
    '-c',
    script(job),
  ];
}

async function build(tool: string, image: string, job: GoBuild): Promise<void> {
  const { signal, onText, root, artefact } = job;
  for (const name of Object.keys(volumes)) await command(tool, ['volume', 'create', builderLabel, name], { signal });
  const sources = spawn('tar', ['-c', '-f', '-', ...sourceFiles(root, artefact.inputs)], { cwd: root });
  const output = createWriteStream(job.output, { mode: 0o755 });
  await command(tool, runArgs(job, image), { input: sources.stdout, output, signal, onText });
}

/**
 * Returns a compiler in a container. Returns undefined when there is no container runtime, or when its image is neither
 * present nor pullable.
 */
export async function goInContainer(): Promise<Compiler | undefined> {
  const image = baseImage('golang');
  const tool = await containerTool();
  if (tool === undefined) return undefined;
  const isThere = (): Promise<boolean> =>
    command(tool, ['image', 'inspect', image]).then(
      () => true,
      () => false,
    );
  const canPull = process.env.GUARD_BASE_PREFIX || registryAnswers() !== false;
  return canPull || (await isThere()) ? { id: image, build: (job) => build(tool, image, job) } : undefined;
}
