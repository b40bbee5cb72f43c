/** Builds the Debian package of guardcli and tcp-guard: `scripts/node packaging/debian/build.ts <folder>`. */
import process from 'node:process';
import { packageVersion } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import type { ShippedPackage } from '../bundle/licenses.ts';
import { withDots } from '../dots.ts';
import { copyPrograms, linuxFiles } from '../linux/contents.ts';
import type { Product } from './control.ts';
import { documents, nodePackage } from './documents.ts';
import { type BuiltPackage, type DebianBuild, type PackedFiles, pack, read, scripts } from './pack.ts';

export const product: Product = {
  name: 'request-guard',
  depends: ['libc6 (>= 2.28)', 'libstdc++6', 'libatomic1', 'adduser', 'init-system-helpers (>= 1.52)'],
  recommends: 'nftables',
  suggests: 'logrotate, crowdsec, request-guard-caddy',
  replaces: 'tcp-guard',
  section: 'net',
  description: `finds, blocks and bans clients that scan or guess passwords
 guardcli evaluates access logs and requests against a policy, and writes the
 configuration of Caddy, Traefik and nginx. tcp-guard bans clients by the logs of
 servers, or relays TCP connections. Both run with the Node of this package.`,
};

/** Returns the contents of files by path in the package. The programs are copied instead. */
const filesOf = async (version: string, packages: readonly ShippedPackage[]): Promise<PackedFiles> => ({
  ...(await linuxFiles()),
  ...documents(product.name, version, packages),
  [`usr/share/lintian/overrides/${product.name}`]: { content: read('packaging/debian/lintian-overrides') },
  'DEBIAN/conffiles': { content: '/etc/logrotate.d/tcp-guard\n' },
  ...scripts('packaging/debian', 'postinst', 'prerm', 'postrm'),
});

/** @param described the package that the file is for; another one than `product` only in tests */
export async function buildDebian(wanted: DebianBuild, described = product): Promise<BuiltPackage> {
  const root = scratchFolder('guard-deb-');
  const packages = await copyPrograms(root, wanted.version);
  const shipped = [nodePackage(), ...packages];
  return { file: await pack(root, described, await filesOf(wanted.version, shipped), wanted), packages };
}

if (import.meta.main) {
  const [folder = '.', version = packageVersion(), compression = 'xz'] = process.argv.slice(2);
  const work = buildDebian({ folder, version, compression });
  const { file } = await withDots('making the package takes about 5 minutes', work);
  process.stdout.write(`${file}\n`);
}
