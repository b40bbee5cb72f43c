/** The formats of access logs, and which one a file has. */
import { readCombined, readTraefikCommon } from './common.ts';
import { type Members, parseObject, readCaddy, readJson, readTraefikJson } from './json.ts';
import type { Reading } from './request.ts';

export type FormatName = 'traefik' | 'caddy' | 'json' | 'combined';

interface Format {
  /** For messages. */
  readonly title: string;
  readonly read: (line: string) => Reading;
}

const ofObject =
  (read: (members: Members) => Reading) =>
  (line: string): Reading => {
    const members = parseObject(line);
    return members && read(members);
  };

const readTraefikObject = ofObject(readTraefikJson);

/** In the order in which a line is tried: the ones with more marks first. */
export const formats: Readonly<Record<FormatName, Format>> = {
  traefik: {
    title: 'Traefik',
    read: (line) => (line.startsWith('{') ? readTraefikObject(line) : readTraefikCommon(line)),
  },
  caddy: { title: 'Caddy', read: ofObject(readCaddy) },
  json: { title: 'JSON', read: ofObject(readJson) },
  combined: { title: 'combined', read: readCombined },
};

export const formatNames = Object.keys(formats) as FormatName[];

/** The format of a file by one of its lines. Undefined: the line has none of them. */
export function formatOf(line: string): FormatName | undefined {
  return formatNames.find((name) => formats[name].read(line) !== undefined);
}
