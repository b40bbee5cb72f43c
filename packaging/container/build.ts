import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { builderLabel, containerTool } from '../../artefacts/published.ts';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { baseImage } from '../../sandbox-images/bases.ts';
import type { Part } from '../release/sbom.ts';
import type { Image, Making } from './images.ts';

/** Builds the image. Returns the parts of the image, except the packages of Debian. @throws ExternalError */
export async function buildImage(
  image: Image,
  tag: string,
  { signal, onText }: Omit<Making, 'context'>,
): Promise<readonly Part[]> {
  const context = scratchFolder('guard-image-');
  const options = { ...(signal && { signal }), ...(onText && { onText }) };
  const parts = await image.stage({ context, ...options });
  cpSync(join(packageRoot, image.dockerfile), join(context, 'Dockerfile'));
  const target = image.target === undefined ? [] : ['--target', image.target];
  const args = ['build', builderLabel, ...target, '--build-arg', `BASE=${baseImage('debian')}`, '--tag', tag, context];
  await command((await containerTool()) ?? 'docker', args, options);
  return parts;
}
