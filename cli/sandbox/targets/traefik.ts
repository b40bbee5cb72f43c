/** Traefik: the guard as a local plugin, with the policies as `generate` writes them. */
import { pluginFields, pluginModule, pluginName } from '../../generate/traefik.ts';
import { checkedForFile } from '../../generate/traefik-texts.ts';
import { yamlDocument, yamlText } from '../../generate/yaml.ts';
import { configFolder, type ProxySetup, type SandboxProxy, type Site } from '../plan/proxy.ts';

const staticFile = 'traefik.yml';
const dynamicFile = 'dynamic.yml';

/** Name of the entry point, router and middleware. */
const nameOf = ({ port }: Site): string => `site-${port}`;

/** Traefik neither checks for new versions, nor sends statistics, nor watches its files. */
function staticConfiguration({ sites, ready }: ProxySetup): object {
  const own = sites.map((site) => [nameOf(site), { address: `:${site.port}`, ...entryPoint }]);
  return {
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    log: { level: 'ERROR', noColor: true },
    entryPoints: { ready: { address: ready }, ...Object.fromEntries(own) },
    providers: { file: { filename: `${configFolder}/${dynamicFile}`, watch: false } },
    experimental: { localPlugins: { [pluginName]: { moduleName: pluginModule } } },
  };
}

/** Traefik passes all X-Forwarded headers, so that the guard decides which peers to trust. */
const entryPoint = { forwardedHeaders: { insecure: true } };

const anyPath = 'PathPrefix(`/`)';

const routerOf = (entryPoints: string, service: string, middlewares: readonly string[] = []): object => ({
  rule: anyPath,
  entryPoints: [entryPoints],
  service,
  ...(middlewares.length > 0 && { middlewares }),
});

/**
 * Relays requests. An external backend receives its name as Host, because its virtual hosts and certificates expect it.
 */
const serviceOf = (url: string, echo: string): object => ({
  loadBalancer: { servers: [{ url }], ...(url !== `http://${echo}` && { passHostHeader: false }) },
});

function dynamicConfiguration({ sites, backend, echo }: ProxySetup): object {
  const routers = sites.map((site) => [nameOf(site), routerOf(nameOf(site), 'backend', [nameOf(site)])]);
  const middlewares = sites.map((site) => {
    return [nameOf(site), { plugin: { [pluginName]: checkedForFile(pluginFields(site.policy)) } }];
  });
  return {
    http: {
      routers: { ready: routerOf('ready', 'echo'), ...Object.fromEntries(routers) },
      middlewares: Object.fromEntries(middlewares),
      services: { echo: serviceOf(`http://${echo}`, echo), backend: serviceOf(backend, echo) },
    },
  };
}

const yamlOf = (value: object): string => yamlText(yamlDocument(value));

export const traefik: SandboxProxy = {
  name: 'traefik',
  folder: 'sandbox-images/traefik',
  artefacts: ['traefik', 'runner'],
  sources: ['module'],
  leftOut: ['module/caddy', 'module/cmd', 'module/internal', 'module/lua'],
  command: ['/traefik', `--configFile=${configFolder}/${staticFile}`],
  configure: (setup) => [
    { name: staticFile, text: yamlOf(staticConfiguration(setup)) },
    { name: dynamicFile, text: yamlOf(dynamicConfiguration(setup)) },
  ],
};
