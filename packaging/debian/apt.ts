/** Writes an apt repository, as files. The maintainer signs it. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { command } from '../../platform/command.ts';

const suite = 'stable';
const component = 'main';
/** The index of the repository, which the maintainer signs. */
export const releaseFile = `dists/${suite}/Release`;
/** The signed copy, which apt reads. */
export const signedFile = `dists/${suite}/InRelease`;

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** Returns the entry of the package in the index: its control fields, then where the file is. */
async function entryOf(archive: string, place: string): Promise<string> {
  const control = (await command('dpkg-deb', ['--field', archive])).trimEnd();
  const lines = [`Filename: ${place}`, `Size: ${statSync(archive).size}`, `SHA256: ${sha256(readFileSync(archive))}`];
  return `${[control, ...lines].join('\n')}\n`;
}

/** Returns the text of the index. @param files paths below the folder of the suite, with their contents */
function releaseText(architecture: string, files: Readonly<Record<string, string | Buffer>>, date: Date): string {
  const sums = Object.entries(files).map(([path, content]) => ` ${sha256(content)} ${content.length} ${path}`);
  const fields = {
    Origin: 'Request Guard',
    Suite: suite,
    Codename: suite,
    Architectures: architecture,
    Components: component,
    Date: date.toUTCString(),
  };
  return [...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), 'SHA256:', ...sums, ''].join('\n');
}

const placeOf = (archive: string): string => {
  const file = basename(archive);
  const [name = ''] = file.split('_');
  return `pool/${component}/${name[0]}/${name}/${file}`;
};

/** @param archives packages for one architecture */
export async function writeAptRepository(
  folder: string,
  archives: readonly string[],
  date = new Date(),
): Promise<void> {
  const [, , architecture = ''] = basename(archives[0] ?? '', '.deb').split('_');
  const entries = await Promise.all(archives.map((archive) => entryOf(archive, placeOf(archive))));
  const index = Buffer.from(entries.join('\n'));
  const listed = `${component}/binary-${architecture}/Packages`;
  const files = { [listed]: index, [`${listed}.gz`]: gzipSync(index, { level: 9 }) };
  for (const path of [...archives.map(placeOf), ...Object.keys(files).map((file) => `dists/${suite}/${file}`)])
    mkdirSync(join(folder, dirname(path)), { recursive: true });
  for (const archive of archives) copyFileSync(archive, join(folder, placeOf(archive)));
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, `dists/${suite}`, path), content);
  writeFileSync(join(folder, releaseFile), releaseText(architecture, files, date));
}
