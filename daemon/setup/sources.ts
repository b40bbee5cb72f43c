/** The sources of `intake` for what runs on a host. */
import { type LogPlace, logPlaces } from '../../contract/logs/places.ts';
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

function sourcesAt({ format, title, units, files = [], fix }: LogPlace, observed: Observed): FoundSource[] {
  const matcher = matcherOf(files);
  const found = observed.files.filter((path) => matcher.test(path));
  if (found.length > 0) return found.map((file) => ({ title, format, file, ...(fix !== undefined && { fix }) }));
  return observed.units.filter((unit) => units?.test(unit)).map((unit) => ({ title, format, unit }));
}

/** A container is named by its owner, so its name says only what it may be. */
function ofContainers(containers: readonly string[]): FoundSource[] {
  const kinds = [
    { mark: /caddy|traefik/i, format: 'access' },
    ...['dovecot', 'postfix', 'exim', 'vsftpd', 'sshd'].map((format) => ({ mark: new RegExp(format, 'i'), format })),
  ];
  return containers.flatMap((container) => {
    const kind = kinds.find(({ mark }) => mark.test(container));
    const unless = 'if this container writes such lines to its standard output';
    return kind ? [{ title: `the container ${container}`, format: kind.format, container, unless }] : [];
  });
}

/** Several settings can name one log, also one in a known place. */
const keyOf = ({ format, file }: Pick<FoundSource, 'format' | 'file'>): string => `${format} ${file}`;

export function sourcesFor(observed: Observed): FoundSource[] {
  const known = logPlaces.flatMap((place) => sourcesAt(place, observed));
  const found = new Map<string, FoundSource>(observed.configured.map((log) => [keyOf(log), log]));
  for (const source of known) found.delete(keyOf(source));
  return [...known, ...found.values(), ...ofContainers(observed.containers)];
}

/** Reachable ports of which no source reads a log. */
export function uncoveredPorts(observed: Observed, sources: readonly FoundSource[]): number[] {
  const formats = new Set(sources.filter(({ unless }) => unless === undefined).map(({ format }) => format));
  const covered = new Set(logPlaces.flatMap(({ format, ports }) => (formats.has(format) ? ports : [])));
  return observed.ports.filter((port) => !covered.has(port));
}
