import { readCombined, readTraefikCommon } from './common.ts';
import { type Members, parseObject, readCaddy, readJson, readTraefikJson } from './json.ts';
import type { ParsedLine } from './request.ts';

export type FormatName = 'traefik' | 'caddy' | 'json' | 'combined';

interface Format {
  /** Name in messages. */
  readonly title: string;
  readonly read: (line: string) => ParsedLine;
}

const parsingFirst =
  (read: (members: Members) => ParsedLine) =>
  (line: string): ParsedLine => {
    const members = parseObject(line);
    return members && read(members);
  };

const readTraefikObject = parsingFirst(readTraefikJson);

/** In the order in which they are tried: formats with more distinctive marks first. */
export const formats: Readonly<Record<FormatName, Format>> = {
  traefik: {
    title: 'Traefik',
    read: (line) => (line.startsWith('{') ? readTraefikObject(line) : readTraefikCommon(line)),
  },
  caddy: { title: 'Caddy', read: parsingFirst(readCaddy) },
  json: { title: 'JSON', read: parsingFirst(readJson) },
  combined: { title: 'combined', read: readCombined },
};

export const formatNames = Object.keys(formats) as FormatName[];

export function formatOf(line: string): FormatName | undefined {
  return formatNames.find((name) => formats[name].read(line) !== undefined);
}
