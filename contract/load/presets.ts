/** The file with newer networks of presets, which `guardcli presets update` writes beside a policy. */
import * as z from 'zod/mini';
import { parseNetwork } from '../values/address.ts';
import { builtInPresets, type NewerPreset } from '../values/presets.ts';

export const presetFile = 'guard-presets.json';
/** Bytes of the file. All providers together have 2,000 networks. */
export const presetFileBytes = 1024 * 1024;
/** Networks of one preset, and characters of its source. Lists of addresses in a policy have as many entries. */
export const presetBounds = { networks: 10_000, source: 400 } as const;
/** A network that is wider is an error of its provider, or an attack: each of its addresses could claim any client. */
const shortestPrefix = { 4: 8, 6: 24 } as const;

const names = builtInPresets.filter(({ isEdge }) => isEdge).map(({ name }) => name);

/** Whether a text is a network that a preset may have. */
export function isPresetNetwork(text: string): boolean {
  const network = parseNetwork(text);
  return network !== undefined && network.length >= shortestPrefix[network.family];
}

const Table = z.strictObject({
  version: z.literal(1),
  presets: z.array(
    z.strictObject({
      name: z.enum(names),
      date: z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/)),
      source: z.string().check(z.maxLength(presetBounds.source)),
      networks: z
        .array(z.string().check(z.refine(isPresetNetwork)))
        .check(z.minLength(1), z.maxLength(presetBounds.networks)),
    }),
  ),
});

/** Returns the rows of a file. @throws Error for a file that `guardcli presets update` has not written */
export function readPresetTable(text: string): readonly NewerPreset[] {
  const { data, success } = z.safeParse(Table, JSON.parse(text));
  if (!success) throw new Error('it is not a table of presets');
  return data.presets;
}

export const presetTableText = (presets: readonly NewerPreset[]): string =>
  `${JSON.stringify({ version: 1, presets }, undefined, 2)}\n`;
