/** The build context of an image: the official image of the proxy, with a program that contains the guard. */
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { packageRoot } from '../../platform/assets.ts';
import { imageWithTag } from '../../sandbox-images/bases.ts';
import { licensesFile, type ProgramSpec } from './steps.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the image that the proxy's project publishes for the version. */
export const baseOf = ({ proxy: { image }, version }: ProgramSpec, env: Environment): string =>
  imageWithTag(image.base, image.tag(version), env);

/** Returns lines that follow FROM in a Dockerfile. @param from option `--from` of COPY and a folder, or an empty text */
export const copyLines = ({ proxy }: ProgramSpec, from: string): readonly string[] => [
  `COPY ${from}${proxy.name} ${proxy.image.path}`,
  `COPY ${from}${licensesFile} /usr/share/doc/request-guard/${licensesFile}`,
];

/** Returns the build context of the image as a tar stream. @param folder contains the program and the licenses */
export function buildContext(spec: ProgramSpec, folder: string, env: Environment): Readable {
  const files = Object.entries(spec.proxy.image.files);
  const dockerfile = [
    `FROM ${baseOf(spec, env)}`,
    ...copyLines(spec, ''),
    ...files.map(([to], index) => `COPY file-${index} ${to}`),
  ];
  const tar = pack();
  const add = async (): Promise<void> => {
    tar.entry({ name: 'Dockerfile' }, `${dockerfile.join('\n')}\n`);
    tar.entry({ name: licensesFile }, readFileSync(join(folder, licensesFile)));
    for (const [index, [, from]] of files.entries())
      tar.entry({ name: `file-${index}` }, readFileSync(join(packageRoot, from)));
    const program = join(folder, spec.proxy.name);
    const entry = tar.entry({ name: spec.proxy.name, mode: 0o755, size: statSync(program).size });
    await pipeline(createReadStream(program), entry);
    tar.finalize();
  };
  add().catch((error: Error) => tar.destroy(error));
  return tar as unknown as Readable;
}
