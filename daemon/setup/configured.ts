/** Logs that the configuration of a server names. */
import { globSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { readRegularSync } from '../../platform/regular-file.ts';

export interface ConfiguredLog {
  readonly title: string;
  readonly format: string;
  /** A path, or a pattern for the files of a folder. */
  readonly file: string;
  readonly fix?: string;
}

interface ServerSettings {
  /** Globs of its configuration in Debian, Ubuntu, Fedora and Arch. */
  readonly files: readonly string[];
  readonly logs: (text: string, path: string) => readonly ConfiguredLog[];
}

const mostBytes = 1024 * 1024;

/** The arguments of a directive, without comments and quotes. Blocks make no difference. */
const argumentsOf = (text: string, directive: RegExp): readonly (readonly string[])[] =>
  text.split('\n').flatMap((line) => {
    const [, rest] =
      new RegExp(`^\\s*(?:${directive.source})[ \\t]+(.+?)(?:;|\\s#|$)`, directive.flags).exec(line) ?? [];
    return rest === undefined ? [] : [[...rest.matchAll(/"([^"]*)"|([^\s"]+)/g)].map(([, a, b]) => a ?? b ?? '')];
  });

const ofNginx: ServerSettings = {
  files: ['/etc/nginx/nginx.conf', '/etc/nginx/conf.d/*.conf', '/etc/nginx/sites-enabled/*'],
  logs: (text) =>
    argumentsOf(text, /access_log/).flatMap(([file = '', name = 'combined']) => [
      ...(name === 'combined' ? [{ title: 'basic authentication of nginx', format: 'nginx', file }] : []),
      { title: 'requests to nginx that the policy blocks', format: 'access', file },
    ]),
};

const ofApache: ServerSettings = {
  files: [
    ...['apache2.conf', 'conf-enabled/*.conf', 'sites-enabled/*.conf'].map((name) => `/etc/apache2/${name}`),
    ...['conf/httpd.conf', 'conf.d/*.conf'].map((name) => `/etc/httpd/${name}`),
  ],
  logs: (text) => {
    const inFolder = (file: string): string =>
      file.startsWith('|') ? '' : resolve('/etc/httpd', file.replace(/\$\{APACHE_LOG_DIR\}/, '/var/log/apache2'));
    const named = (directive: RegExp) => argumentsOf(text, directive).map(([file = '']) => inFolder(file));
    return [
      ...named(/ErrorLog/i).map((file) => ({ title: 'basic authentication of Apache', format: 'apache', file })),
      ...named(/CustomLog|TransferLog/i).map((file) => ({
        ...{ title: 'requests to Apache that the policy blocks', format: 'access', file },
      })),
    ];
  },
};

const ofCaddy: ServerSettings = {
  files: ['/etc/caddy/Caddyfile', '/etc/caddy/{conf.d,sites,sites-enabled}/*'],
  logs: (text) =>
    argumentsOf(text, /output[ \t]+file/).map(([file = '']) => ({
      ...{ title: 'requests to Caddy that the policy blocks', format: 'access', file },
      fix: 'set "mode 0644" in "output file" of the Caddyfile, and reload Caddy: it makes its logs with mode 0600',
    })),
};

/** Only the JSON log can be read safely. */
const ofPostgres: ServerSettings = {
  files: [
    '/etc/postgresql/*/*/postgresql.conf',
    '/var/lib/pgsql/{,*/}data/postgresql.conf',
    '/var/lib/postgres/data/postgresql.conf',
  ],
  logs: (text, path) => {
    const settingOf = (name: string, standard: string): string =>
      [...text.matchAll(new RegExp(`^[ \\t]*${name}[ \\t=]+'?([^'#\\n]*?)'?[ \\t]*(?:#.*)?$`, 'gm'))].at(-1)?.[1] ??
      standard;
    if (!settingOf('log_destination', 'stderr').includes('jsonlog')) return [];
    const data = settingOf('data_directory', dirname(path));
    const file = join(resolve(data, settingOf('log_directory', 'log')), '*.json');
    const fix = 'set log_file_mode = 0640 in postgresql.conf, and let the user guard reach the folder';
    return [{ title: 'PostgreSQL', format: 'postgresql', file, fix }];
  },
};

export const serverSettings: readonly ServerSettings[] = [ofNginx, ofApache, ofCaddy, ofPostgres];

/** Whether a log exists: a path, or one file of a pattern. */
const exists = (file: string): boolean =>
  isAbsolute(file) &&
  (file.includes('*') ? globSync(file).length > 0 : statSync(file, { throwIfNoEntry: false })?.isFile() === true);

/** Logs that the configuration on this host names, and that exist. */
export const configuredLogs = (): ConfiguredLog[] =>
  serverSettings.flatMap(({ files, logs }) =>
    globSync([...files]).flatMap((path) => {
      try {
        return logs(readRegularSync(path, mostBytes).toString(), path).filter(({ file }) => exists(file));
      } catch {
        return []; // a folder, a pipe or a file without permission
      }
    }),
  );
