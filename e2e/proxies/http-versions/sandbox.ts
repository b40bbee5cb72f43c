/** Sandboxes with listeners for HTTP/2 and HTTP/3. Sites alternate between plain text and TLS. */
import { parse, stringify } from 'yaml';
import type { ConfigFile, ProxySetup, Site } from '../../../cli/sandbox/plan/proxy.ts';
import { configFolder } from '../../../cli/sandbox/plan/proxy.ts';
import { certificate, key } from '../../nginx/lua/respond/certificate.ts';
import { sandboxOf, type TestedProxy } from '../../support/sandbox-image.ts';

const [certificateFile, keyFile] = ['certificate.pem', 'key.pem'];
const files: readonly ConfigFile[] = [
  { name: certificateFile, text: certificate },
  { name: keyFile, text: key },
];
const [certificatePath, keyPath] = [certificateFile, keyFile].map((name) => `${configFolder}/${name}`);

interface Listener extends Site {
  readonly isTls: boolean;
}

export const isTls = (index: number): boolean => index % 2 === 1;

type Change = (text: string, listeners: readonly Listener[], options: Options) => string;

export interface Options {
  readonly hasHttp3: boolean;
  /** Lua code that runs before the guard. */
  readonly lua?: string;
  /** Directives for nginx servers with TLS, or for Caddy's option `servers`. */
  readonly more?: string;
}

function replaceText(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the configuration has no ${JSON.stringify(from)}`);
  return text.replace(from, to);
}

const caddy: Change = (text, listeners, { more = '' }) =>
  listeners
    .filter((one) => one.isTls)
    .reduce(
      (changed, { port }) =>
        replaceText(changed, `http://:${port} {`, `https://:${port} {\n\ttls ${certificatePath} ${keyPath}`),
      replaceText(text, '\tadmin off\n', `\tadmin off\n\tservers {\n\t\tprotocols h1 h2 h2c h3\n\t\t${more}\n\t}\n`),
    );

const initBlock = 'init_by_lua_block {';

const nginx: Change = (text, listeners, { hasHttp3, lua = '', more = '' }) =>
  listeners.reduce(
    (changed, one) => {
      const quic = hasHttp3 ? `listen ${one.port} quic reuseport; ` : '';
      const secure = `listen ${one.port} ssl http2; ${quic}ssl_certificate ${certificatePath}; ssl_certificate_key ${keyPath}; ${more}`;
      return replaceText(changed, `listen ${one.port};`, one.isTls ? secure : `listen ${one.port} http2;`);
    },
    replaceText(text, initBlock, `${initBlock} ${lua}`),
  );

interface EntryPoints {
  readonly entryPoints: Record<string, object>;
}

/** Traefik uses its default certificate. Entry points without TLS need no change to accept HTTP/2. */
const traefik: Change = (text, listeners) => {
  const parsed = parse(text) as EntryPoints;
  for (const { port } of listeners.filter((one) => one.isTls)) {
    const name = `site-${port}`;
    parsed.entryPoints[name] = { ...parsed.entryPoints[name], http: { tls: {} }, http3: {} };
  }
  return stringify(parsed);
};

const changeOfTarget: Readonly<Record<string, readonly [file: string, change: Change]>> = {
  caddy: ['Caddyfile', caddy],
  nginx: ['nginx.conf', nginx],
  traefik: ['traefik.yml', traefik],
};

export function withVersions(target: TestedProxy, options: Options): TestedProxy {
  const [file, change] = changeOfTarget[target.name] as readonly [string, Change];
  return {
    ...target,
    sandbox: async () => {
      const proxy = await sandboxOf(target);
      const configure = (setup: ProxySetup): readonly ConfigFile[] => {
        const listeners = setup.sites.map((site, index) => ({ ...site, isTls: isTls(index) }));
        const changed = proxy
          .configure(setup)
          .map((one) => (one.name === file ? { ...one, text: change(one.text, listeners, options) } : one));
        return [...changed, ...files];
      };
      return { ...proxy, configure };
    },
  };
}
