/** Caddy: one Caddyfile with the guard blocks of `generate`. */
import { generateCaddy } from '../../generate/caddy.ts';
import { configFolder, type ProxySetup, type SandboxProxy, type Site } from '../plan/proxy.ts';

const file = 'Caddyfile';

/** Disables the admin API, the stored configuration and automatic HTTPS. A stop waits at most 1 s for open requests. */
const globalOptions = `{
	admin off
	persist_config off
	auto_https off
	grace_period 1s
	order guard first
}
`;

/**
 * Relays requests. An external backend receives its name as Host, because its virtual hosts and certificates expect it.
 */
function relayDirective(backend: string, echo: string): string {
  if (backend === `http://${echo}`) return `\treverse_proxy ${backend}`;
  return `\treverse_proxy ${backend} {\n\t\theader_up Host {upstream_hostport}\n\t}`;
}

/** Writes a site. The guard block is not indented: that would change its quoted texts of several lines. */
function siteBlock({ policy, port }: Site, { backend, echo }: ProxySetup): string {
  return `http://:${port} {\n${generateCaddy(policy)}${relayDirective(backend, echo)}\n}\n`;
}

function readySite({ ready, echo }: ProxySetup): string {
  return `http://${ready} {\n\tbind 127.0.0.1\n\treverse_proxy http://${echo}\n}\n`;
}

export const caddy: SandboxProxy = {
  name: 'caddy',
  folder: 'sandbox-images/caddy',
  artefacts: ['caddy', 'runner'],
  command: ['/caddy', 'run', '--adapter', 'caddyfile', '--config', `${configFolder}/${file}`],
  configure: (setup) => {
    const sites = setup.sites.map((one) => siteBlock(one, setup));
    return [{ name: file, text: [globalOptions, readySite(setup), ...sites].join('\n') }];
  },
};
