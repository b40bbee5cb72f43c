/** The sources of `intake` for what runs on a host. */
import { logFormats } from '../../contract/logs/formats.ts';
import { type LogPlace, logPlaces } from '../../contract/logs/places.ts';
import { LogParser } from '../../logs/access/parser.ts';
import { createLogReader } from '../../logs/read.ts';
import type { Observed } from './observe.ts';

export interface FoundSource {
  readonly title: string;
  readonly format: string;
  readonly unit?: string;
  readonly file?: string;
  readonly container?: string;
  /** Why the source is only a comment in the file. */
  readonly unless?: string;
  readonly fix?: string;
  /** Whether the lines are in Docker's json-file, which only root can reach. */
  readonly isDockerFile?: boolean;
}

/** A glob as a pattern. `*` matches within a folder. */
function matcherOf(globs: readonly string[]): RegExp {
  const alternatives = globs.map((glob) =>
    glob
      .replaceAll(/[.+^$()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^/]*')
      .replaceAll(/\{,([^}]*)\}/g, '(?:$1)?'),
  );
  return new RegExp(`^(?:${alternatives.join('|')})$`);
}

function sourcesAt({ format, title, units, files = [], fix, unless }: LogPlace, observed: Observed): FoundSource[] {
  const matcher = matcherOf(files);
  const found = observed.files.filter((path) => matcher.test(path));
  const shared = { title, format, ...(unless !== undefined && { unless }) };
  if (found.length > 0) return found.map((file) => ({ ...shared, file, ...(fix !== undefined && { fix }) }));
  return observed.units.filter((unit) => units?.test(unit)).map((unit) => ({ ...shared, unit }));
}

/** Whether a line is one of the format. */
function readerOf(format: string): (line: string) => boolean {
  const row = logFormats.find(({ name }) => name === format);
  if (row === undefined) return (line) => typeof new LogParser().parse(line) === 'object';
  const { ofMessage } = createLogReader(row);
  return (line) => ofMessage(line) !== undefined;
}

/** Formats of servers whose image has their name. */
const ofImages = /dovecot|postfix|exim|vsftpd|sshd|mosquitto|prosody|immich|jellyfin|keycloak/;
/** Formats in JSON that need a setting: in the text logs of these servers, clients can write such lines. */
const bySetting = ['immich', 'jellyfin', 'keycloak'];

/** A container is named by its owner, so its name says only what it may be. Its log decides, where Docker keeps it in a file. */
function ofContainers({ containers, containerLogs }: Observed): FoundSource[] {
  const lines = new Map(containerLogs.map((log) => [log.name, log.lines]));
  return [...new Set([...containers, ...lines.keys()])].flatMap((container): FoundSource[] => {
    const name = container.toLowerCase();
    const format = /caddy|traefik/.test(name) ? 'access' : ofImages.exec(name)?.[0];
    if (format === undefined) return [];
    const source = { title: `the container ${container}`, format, container };
    if (bySetting.includes(format)) return [{ ...source, unless: 'if its log is in JSON' }];
    if (lines.get(container)?.some(readerOf(format))) return [{ ...source, isDockerFile: true }];
    return [{ ...source, unless: 'if this container writes such lines to its standard output' }];
  });
}

/** Several settings can name one log, also one in a known place. */
const keyOf = ({ format, file }: Pick<FoundSource, 'format' | 'file'>): string => `${format} ${file}`;

export function sourcesFor(observed: Observed): FoundSource[] {
  const known = logPlaces.flatMap((place) => sourcesAt(place, observed));
  const found = new Map<string, FoundSource>(observed.configured.map((log) => [keyOf(log), log]));
  for (const source of known) found.delete(keyOf(source));
  return [...known, ...found.values(), ...ofContainers(observed)];
}

/** Reachable ports of which no source reads a log. */
export function uncoveredPorts(observed: Observed, sources: readonly FoundSource[]): number[] {
  const formats = new Set(sources.filter(({ unless }) => unless === undefined).map(({ format }) => format));
  const covered = new Set(logPlaces.flatMap(({ format, ports }) => (formats.has(format) ? ports : [])));
  return observed.ports.filter((port) => !covered.has(port));
}

const caddyLogHint = `Caddy writes no access log. Write these lines into each site of its Caddyfile, reload it, and run tcp-guard init host --force:
  log {
  	output file /var/log/caddy/access.log {
  		mode 0644
  	}
  }`;

/** What to do about a proxy that runs and whose requests are in no log. The packages of others come with an access log. */
export function logHints({ units }: Observed, sources: readonly FoundSource[]): string[] {
  const isSilent = units.includes('caddy.service') && !sources.some(({ title }) => title.includes('Caddy'));
  return isSilent ? [caddyLogHint] : [];
}
