/** Caddy: one Caddyfile, with the guard blocks exactly as `generate` prints them. */
import { generateCaddy } from '../../generate/caddy.ts';
import { configFolder, type ProxySetup, type SandboxProxy, type Site } from '../plan/proxy.ts';

const file = 'Caddyfile';

/** Disables fetching, persistence and extra listeners. A stop does not wait for open requests. */
const globalOptions = `{
	admin off
	persist_config off
	auto_https off
	grace_period 1s
	order guard first
}
`;

/** An external backend receives its own host name, which its virtual hosts and certificates expect. */
function relayDirective(backend: string, echo: string): string {
  if (backend === `http://${echo}`) return `\treverse_proxy ${backend}`;
  return `\treverse_proxy ${backend} {\n\t\theader_up Host {upstream_hostport}\n\t}`;
}

/** The guard block is not indented, because its quoted texts may have several lines. */
function siteBlock({ policy, port }: Site, { backend, echo }: ProxySetup): string {
  return `http://:${port} {\n${generateCaddy(policy).text}${relayDirective(backend, echo)}\n}\n`;
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
