/** The releases of the proxies that are tested: those of the sandbox, and nginx of newer Debian releases. */
import type { SandboxProxy } from '../cli/sandbox/targets/proxy.ts';
import { type ProxyTarget, proxies } from '../cli/targets/table.ts';
import { modelOf, type NginxRelease } from '../contract/hosts/nginx.ts';
import type { BaseName } from '../sandbox-images/bases.ts';
import type { Transport } from './http-versions/client.ts';

export interface Release {
  readonly target: ProxyTarget;
  readonly transports: readonly Transport[];
}

/** The versions of nginx and its Lua module are those of the Debian release. */
function onDebian(target: ProxyTarget, base: BaseName, release: NginxRelease): ProxyTarget {
  const loadSandbox = async (): Promise<SandboxProxy> => {
    const proxy = await target.loadSandbox();
    return { ...proxy, name: `${proxy.name}-${base}`, base };
  };
  const model = modelOf(release);
  return { ...target, title: `${target.title} ${release}`, loadHost: () => Promise.resolve(model), loadSandbox };
}

const rowsOf = (target: ProxyTarget): Release[] =>
  target.name === 'nginx'
    ? [
        { target: { ...target, title: `${target.title} 1.22` }, transports: ['h2c', 'h2'] },
        { target: onDebian(target, 'debian-trixie', '1.26'), transports: ['h2c', 'h2', 'h3'] },
        { target: onDebian(target, 'debian-sid', '1.30'), transports: ['h2c', 'h2', 'h3'] },
      ]
    : [{ target, transports: ['h2c', 'h2', 'h3'] }];

export const releases: readonly Release[] = proxies.flatMap(rowsOf);
