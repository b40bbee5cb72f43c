/** Copies a program from the image that its project publishes, when an image registry responds. */
import { command } from '../platform/command.ts';
import { type BaseName, baseImage, didRegistryRespond } from '../sandbox-images/bases.ts';
import type { ArtefactName } from './artefacts.ts';
import type { Compiler, GoBuild } from './go.ts';

/** Label of images and containers that a build creates, so that they can be found and removed. */
export const builderLabel = '--label=request-guard.builder=1';

/** The pinned image, and the path of the program in it. */
const publishedPrograms: Partial<Record<ArtefactName, { readonly image: BaseName; readonly path: string }>> = {
  traefik: { image: 'traefik', path: '/usr/local/bin/traefik' },
};

/** Returns `docker` or `podman`, the first one that is on this machine. */
export async function containerTool(): Promise<string | undefined> {
  for (const tool of ['docker', 'podman']) {
    const version = await command(tool, ['--version']).catch(() => undefined);
    if (version !== undefined) return tool;
  }
  return undefined;
}

interface Published {
  readonly image: string;
  readonly path: string;
}

type Copy = Pick<GoBuild, 'arch' | 'output' | 'signal' | 'onText'>;

/** Copies the program to `output`. Pulls the image unless it is here. @throws ExternalError */
export async function copyOut(from: Published, { signal, onText, arch, output }: Copy): Promise<void> {
  const tool = (await containerTool()) ?? 'docker';
  const platform = `--platform=linux/${arch}`;
  await command(tool, ['image', 'inspect', from.image], { signal }).catch(() =>
    command(tool, ['pull', platform, from.image], { signal, onText }),
  );
  const id = (await command(tool, ['create', builderLabel, platform, from.image], { signal })).trim();
  try {
    await command(tool, ['cp', `${id}:${from.path}`, output], { signal, onText });
  } finally {
    await command(tool, ['rm', id]);
  }
}

/**
 * Returns a `Compiler` that copies the published program instead. Returns undefined when the program must be compiled.
 */
export function publishedProgram(name: ArtefactName, env: NodeJS.ProcessEnv = process.env): Compiler | undefined {
  const row = publishedPrograms[name];
  if (!row || env.GUARD_BASE_PREFIX || didRegistryRespond(env) !== true) return undefined;
  const image = baseImage(row.image, env);
  return { id: image, build: (job) => copyOut({ ...row, image }, job) };
}
