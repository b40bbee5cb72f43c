/** nginx with its Lua module: one nginx.conf, with a named policy and a server for each site. */
import { checkBlock, type Directive, httpDirectives, initBlock, mainDirectives } from '../../generate/nginx.ts';
import { configFolder, type ProxySetup, type SandboxProxy, type Site } from '../plan/proxy.ts';

const file = 'nginx.conf';

const moduleFolder = '/usr/lib/nginx/modules';

/** /tmp is the only writable folder of the container besides the configuration. */
const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
  (name) => `${name}_temp_path /tmp/${name};`,
);

const directiveLines = (directives: readonly Directive[]): string[] => directives.map(({ text }) => text);
/** Indents lines. Lua strings stay unchanged, because their line breaks are escaped. */
const indent = (text: string): string => text.trimEnd().replace(/^(?=.)/gm, '    ');
const blockText = (head: string, body: readonly string[]): string => `${head} {\n${indent(body.join('\n'))}\n}\n`;

/** Two workers, so that bugs in shared state show. */
const main = (setup: ProxySetup): string[] => [
  `load_module ${moduleFolder}/ndk_http_module.so;`,
  `load_module ${moduleFolder}/ngx_http_lua_module.so;`,
  'daemon off;',
  'worker_processes 2;',
  'pid /tmp/nginx.pid;',
  'error_log stderr warn;',
  ...directiveLines(mainDirectives(setup.sites.map(({ policy }) => policy))),
  'events {\n    worker_connections 1024;\n}',
];

/**
 * Relays requests. An external backend receives its name as Host, because its virtual hosts and certificates expect it.
 */
function relayLines(backend: string, echo: string): string[] {
  const isEcho = backend === `http://${echo}`;
  return [
    `proxy_pass ${backend};`,
    'proxy_http_version 1.1;',
    `proxy_set_header Host ${isEcho ? '$http_host' : '$proxy_host'};`,
    'proxy_set_header Connection $guard_connection;',
    'proxy_set_header Upgrade $http_upgrade;',
    ...(isEcho ? [] : ['proxy_ssl_server_name on;', 'proxy_ssl_verify on;', 'proxy_ssl_verify_depth 4;']),
    ...(isEcho ? [] : ['proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;']),
  ];
}

const nameOf = ({ port }: Site): string => String(port);

function serverBlock(site: Site, { backend, echo }: ProxySetup): string {
  return blockText('server', [
    `listen ${site.port};`,
    checkBlock(nameOf(site)),
    blockText('location /', relayLines(backend, echo)),
  ]);
}

const readyServer = ({ ready, echo }: ProxySetup): string =>
  blockText('server', [`listen ${ready};`, blockText('location /', relayLines(`http://${echo}`, echo))]);

function httpBlock(setup: ProxySetup): string {
  const named = setup.sites.map((site) => ({ policy: site.policy, name: nameOf(site) }));
  const policies = named.map(({ policy }) => policy);
  return blockText('http', [
    'access_log off;',
    ...temporaryFolders,
    // An empty Connection keeps connections to the backend open.
    'map $http_upgrade $guard_connection {\n    default upgrade;\n    "" "";\n}',
    'include /tmp/resolver.conf;',
    ...directiveLines(httpDirectives(policies)),
    initBlock(named),
    readyServer(setup),
    ...setup.sites.map((site) => serverBlock(site, setup)),
  ]);
}

export const nginx: SandboxProxy = {
  name: 'nginx',
  folder: 'sandbox-images/nginx',
  base: 'debian',
  artefacts: ['runner'],
  sources: ['sandbox-images/nginx/start.sh', 'module/lua/guard'],
  command: ['/bin/sh', '/start.sh', `${configFolder}/${file}`],
  configure: (setup) => [{ name: file, text: `${main(setup).join('\n')}\n${httpBlock(setup)}` }],
};
