/**
 * Builds the Debian package of Caddy with the guard: `scripts/node packaging/debian/caddy.ts <folder>`. A further
 * argument is a program that is built already.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { artefacts } from '../../artefacts/artefacts.ts';
import { packageVersion } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import type { ShippedPackage } from '../bundle/licenses.ts';
import { buildProxy } from '../bundle/proxies.ts';
import { withDots } from '../dots.ts';
import type { Product } from './control.ts';
import { documents } from './documents.ts';
import { type BuiltPackage, type DebianBuild, pack, read, scripts } from './pack.ts';

const product: Product = {
  name: 'request-guard-caddy',
  depends: ['init-system-helpers (>= 1.52)'],
  // Debian's package has the unit, the user and /etc/caddy/Caddyfile.
  recommends: 'caddy',
  suggests: 'request-guard',
  section: 'httpd',
  description: `Caddy with the guard, which refuses requests of scanners
 Caddy ${Object.values(artefacts.caddy.pins)[0]} with the directive "guard". It becomes /usr/bin/caddy by
 alternatives, beside the Caddy of Debian, whose service it then runs in.`,
};

const program = 'usr/lib/request-guard/caddy';

async function addProgram(root: string, built: string | undefined, wanted: DebianBuild): Promise<ShippedPackage[]> {
  const file = join(root, program);
  mkdirSync(dirname(file), { recursive: true });
  if (built !== undefined) {
    copyFileSync(built, file);
    return [];
  }
  const { signal, onText } = wanted;
  const modules = await buildProxy('caddy', file, { ...(signal && { signal }), ...(onText && { onText }) });
  rmSync(`${file}.LICENSES.txt`); // the document of all third parties has them
  return modules;
}

/** @param built path of a Caddy with the guard; absent: it is compiled, which takes minutes */
export async function buildCaddyPackage(wanted: DebianBuild, built?: string): Promise<BuiltPackage> {
  const root = scratchFolder('guard-deb-');
  const packages = await addProgram(root, built, wanted);
  const files = {
    ...documents(product.name, wanted.version, packages),
    [`usr/share/lintian/overrides/${product.name}`]: { content: read('packaging/debian/caddy/lintian-overrides') },
    ...scripts('packaging/debian/caddy', 'postinst', 'prerm', 'postrm'),
  };
  return { file: await pack(root, product, files, wanted), packages };
}

if (import.meta.main) {
  const [folder = '.', version = packageVersion(), compression = 'xz', built] = process.argv.slice(2);
  const work = buildCaddyPackage({ folder, version, compression }, built);
  const { file } = await withDots('making the package takes minutes', work);
  process.stdout.write(`${file}\n`);
}
