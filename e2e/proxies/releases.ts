/** The releases of the proxies that are tested: those of the sandbox, and nginx of newer Debian releases. */

import { artefacts } from '../../artefacts/artefacts.ts';
import type { SandboxProxy } from '../../cli/sandbox/plan/proxy.ts';
import { type ProxyTarget, proxies, type TargetName } from '../../cli/targets/table.ts';
import { modelOf, type NginxRelease } from '../../engine/hosts/nginx.ts';
import type { BaseName } from '../../sandbox-images/bases.ts';
import { sandboxOf, type TestedProxy } from '../support/sandbox-image.ts';
import type { Transport } from './http-versions/client.ts';

export interface Release {
  readonly target: TestedProxy;
  /** The version in the spelling of docs/parity.md. */
  readonly version: string;
  /** True when Debian may update the package beyond the documented version. */
  readonly isRolling?: true;
  readonly transports: readonly Transport[];
}

/** Returns the target with nginx and its Lua module from a Debian release. */
function onDebian(target: ProxyTarget, base: BaseName, release: NginxRelease): TestedProxy {
  const sandbox = async (): Promise<SandboxProxy> => {
    const proxy = await sandboxOf(target);
    return { ...proxy, name: `${proxy.name}-${base}`, base };
  };
  const model = modelOf(release);
  return { ...target, title: `${target.title} ${release}`, loadHost: () => Promise.resolve(model), sandbox };
}

const newerTransports: readonly Transport[] = ['h2c', 'h2', 'h3'];

/** Returns the pinned version of a proxy that is compiled here. */
const pinnedVersion = (pins: Readonly<Record<string, string>>): string =>
  Object.values(pins)[0]?.slice('v'.length) ?? '';

const rowsOf: Record<TargetName, (target: ProxyTarget) => readonly Release[]> = {
  'tcp-guard': () => [],
  caddy: (target) => [{ target, version: pinnedVersion(artefacts.caddy.pins), transports: newerTransports }],
  traefik: (target) => [{ target, version: pinnedVersion(artefacts.traefik.pins), transports: newerTransports }],
  nginx: (target) => [
    {
      target: { ...target, title: `${target.title} 1.22` },
      version: '1.22, Lua module 0.10.23 with PCRE',
      transports: ['h2c', 'h2'],
    },
    {
      target: onDebian(target, 'debian-trixie', '1.26'),
      version: '1.26, Lua module 0.10.28 with PCRE2',
      transports: newerTransports,
    },
    {
      target: onDebian(target, 'debian-sid', '1.30'),
      version: '1.30, Lua module 0.10.29 with PCRE2',
      isRolling: true,
      transports: newerTransports,
    },
  ],
};

export const releases: readonly Release[] = proxies.flatMap((target) => rowsOf[target.name](target));
