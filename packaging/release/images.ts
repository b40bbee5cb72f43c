/** The channel of the container images, for the processor of this machine. */
import { createWriteStream, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { localArch } from '../../artefacts/build.ts';
import { containerTool, copyOut } from '../../artefacts/published.ts';
import { publishedImage } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { buildImage } from '../container/build.ts';
import { type Image, images } from '../container/images.ts';
import type { Channel, Release } from './channel.ts';
import { type Part, writeSbom } from './sbom.ts';

/** The list of Debian packages in an image, which Debian's tools and scanners read. */
const packageList = '/var/lib/dpkg/status';

async function debianPackages(image: string, release: Release): Promise<Part[]> {
  const output = join(release.folder, 'packages');
  await copyOut({ image, path: packageList }, { ...release, arch: localArch(), output });
  const sections = readFileSync(output, 'utf8').split('\n\n');
  rmSync(output);
  return sections.flatMap((section) => {
    const [name, version] = ['Package', 'Version'].map((key) => new RegExp(`^${key}: (.*)$`, 'm').exec(section)?.[1]);
    return name && version ? [{ registry: 'deb/debian', name, version }] : [];
  });
}

type Saving = Pick<Release, 'folder' | 'version'> & Partial<Release>;

/** Writes the image, compressed as in a registry. @throws when it is larger than its bound */
export async function saveImage(image: Image, tag: string, { folder, version, signal }: Saving): Promise<string> {
  const file = `${image.name}-${version}.tar.gz`;
  const packed = createGzip();
  const written = pipeline(packed, createWriteStream(join(folder, file)));
  await command((await containerTool()) ?? 'docker', ['save', tag], { ...(signal && { signal }), output: packed });
  await written;
  const { size } = statSync(join(folder, file));
  if (size > image.mostBytes) throw new Error(`${file} has ${size} bytes, more than ${image.mostBytes}`);
  return file;
}

export async function makeImage(image: Image, release: Release): Promise<readonly string[]> {
  const { folder, version } = release;
  const tag = publishedImage(image.name, version);
  const tool = (await containerTool()) ?? 'docker';
  const contents = await buildImage(image, tag, release);
  try {
    const parts = [...contents, ...(await debianPackages(tag, release))];
    const product = { file: image.name, registry: 'oci', name: `request-guard/${image.name}`, version } as const;
    return [
      await saveImage(image, tag, release),
      writeSbom(folder, { ...product, file: `${image.name}-${version}`, parts }),
    ];
  } finally {
    await command(tool, ['rmi', '--force', tag]);
  }
}

export const containerImages: Channel = {
  name: 'images',
  to: 'ghcr.io/request-guard',
  takes: '10 minutes',
  async make(release) {
    const files: string[] = [];
    for (const image of images) files.push(...(await makeImage(image, release)));
    return files;
  },
  publish: (files, version) => [
    ...files.filter((file) => file.endsWith('.tar.gz')).map((file) => `docker load --input ${file}`),
    ...images.map(({ name }) => `docker push ${publishedImage(name, version)}`),
    ...files
      .filter((file) => !file.endsWith('.tar.gz'))
      .map((file) => `gh release upload v${version} ${basename(file)}`),
  ],
};
