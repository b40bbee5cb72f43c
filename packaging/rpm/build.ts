/**
 * Builds the rpm package of guardcli and tcp-guard: `scripts/node packaging/rpm/build.ts <folder>`. It has the content of
 * the Debian package. rpmbuild is needed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { packageVersion } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { licensesText } from '../bundle/licenses.ts';
import { product } from '../debian/build.ts';
import { gzipped, nodePackage } from '../debian/documents.ts';
import { type BuiltPackage, type DebianBuild, type PackedFiles, read, writeFiles } from '../debian/pack.ts';
import { withDots } from '../dots.ts';
import { copyPrograms, linuxFiles, programFolder } from '../linux/contents.ts';
import { rpmVersion, specText } from './spec.ts';

const architectures: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };
/** Folders that are empty at first. */
const stateFolders = ['var/lib/guard', 'var/lib/guard-bans', 'var/log/guard'];

/** Fedora's zsh reads the completions of packages in another folder than Debian's. */
const fedoraPath = (path: string): string => path.replace('zsh/vendor-completions', 'zsh/site-functions');

/** Returns the files that are the same in each version: all but the configuration. */
async function filesOf(packages: BuiltPackage['packages']): Promise<PackedFiles> {
  const common = Object.entries(await linuxFiles()).map(([path, file]) => [fedoraPath(path), file]);
  return {
    ...Object.fromEntries(common),
    'usr/share/doc/request-guard/changelog.gz': { content: gzipped(read('CHANGELOG.md')) },
    'usr/share/licenses/request-guard/LICENSE': { content: read('LICENSE') },
    'usr/share/licenses/request-guard/third-party.gz': { content: gzipped(licensesText(packages)) },
  };
}

/** @throws when rpmbuild is absent, or refuses the package */
export async function buildRpm(wanted: DebianBuild): Promise<BuiltPackage> {
  const { folder, version, compression = 'w6.xzdio', signal, onText } = wanted;
  const [root, top] = [scratchFolder('guard-rpm-'), scratchFolder('guard-rpmbuild-')];
  const packages = await copyPrograms(root, version);
  const files = await filesOf([nodePackage(), ...packages]);
  const configuration = { content: read('packaging/linux/tcp-guard.yaml'), mode: 0o640 };
  writeFiles(root, { ...files, 'etc/guard/tcp-guard.yaml': configuration });
  for (const path of stateFolders) mkdirSync(join(root, path), { recursive: true });
  await command('chmod', ['-R', 'u+rwX,go+rX,go-w', root]);
  const paths = [programFolder, ...Object.keys(files).filter((path) => !path.startsWith('etc/'))];
  const [summary = ''] = product.description.split('\n');
  const spec = join(top, 'request-guard.spec');
  writeFileSync(spec, specText({ version, root, paths, summary }));
  const architecture = architectures[process.arch] ?? process.arch;
  const definitions = [
    ...[`_topdir ${top}`, `_rpmdir ${folder}`, `_binary_payload ${compression}`],
    '_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm',
    // The package must not name the machine on which it was built.
    '_buildhost localhost',
  ];
  const args = ['-bb', '--target', architecture, ...definitions.flatMap((one) => ['--define', one]), spec];
  await command('rpmbuild', args, { ...(signal && { signal }), ...(onText && { onText }) });
  return { file: join(folder, `request-guard-${rpmVersion(version)}-1.${architecture}.rpm`), packages };
}

if (import.meta.main) {
  const [folder = '.', version = packageVersion(), compression = 'w6.xzdio'] = process.argv.slice(2);
  const work = buildRpm({ folder, version, compression });
  const { file } = await withDots('making the package takes minutes', work);
  process.stdout.write(`${file}\n`);
}
