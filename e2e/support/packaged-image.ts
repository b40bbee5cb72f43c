import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { buildImage } from '../../packaging/container/build.ts';
import { type Image, images } from '../../packaging/container/images.ts';
import { saveImage } from '../../packaging/release/images.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { docker } from './guardcli.ts';

export const imageOf = (name: string): Image => images.find((row) => row.name === name) ?? assert.fail(name);

/** A built image. It is removed after the test, like its container. */
interface Packaged {
  readonly tag: string;
  /** Creates a container of the image. Returns its id. */
  readonly create: (options: readonly string[], ...command: readonly string[]) => Promise<string>;
}

/** Builds the image, and checks its size. */
export async function packagedImage(t: TestContext, image: Image): Promise<Packaged> {
  const tag = `localhost/request-guard/packaged-${image.name}:test`;
  let id = '';
  // While a container uses the image, removal would only remove its name.
  t.after(async () => {
    if (id !== '') await docker('rm', '-f', '-v', id);
    await docker('rmi', '-f', tag);
  });
  await buildImage(image, tag, {});
  await saveImage(image, tag, { folder: scratchFolder('guard-saved-'), version: '1.0.0' });
  return {
    tag,
    create: async (options, ...command) => {
      id = await docker('create', ...options, tag, ...command);
      return id;
    },
  };
}
