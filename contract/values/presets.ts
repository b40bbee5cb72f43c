/**
 * Presets of networks, which a list of networks may name. A preset has the networks of `presets.json`, with the date on
 * which its source had them. `guardcli presets update` fetches newer ones.
 */
import rows from './presets.json' with { type: 'json' };

export interface Preset {
  readonly name: string;
  readonly title: string;
  /** Whether its addresses are those of a CDN or a load balancer, behind which many clients are. */
  readonly isEdge: boolean;
  /** The day on which the source had these networks, such as `2026-08-11`. Empty: they do not change. */
  readonly date: string;
  readonly source: string;
  readonly networks: readonly string[];
}

/** What a newer table has of a preset. */
export type NewerPreset = Pick<Preset, 'name' | 'date' | 'source' | 'networks'>;

export const builtInPresets: readonly Preset[] = rows;

/** The presets of this build, or newer ones. */
let current: ReadonlyMap<string, Preset> = new Map(builtInPresets.map((row) => [row.name, row]));

export const presetOf = (name: string): Preset | undefined => current.get(name);
export const allPresets = (): readonly Preset[] => [...current.values()];

/** The presets whose networks are newer than those that engines of this version have. */
export const newerPresets = (): readonly Preset[] =>
  allPresets().filter(({ name, date }) => date > (builtInPresets.find((row) => row.name === name)?.date ?? ''));

/** Puts the rows that are newer than those of this build into force. Ignores unknown names. */
export function setPresets(newer: readonly NewerPreset[]): void {
  const replaced = builtInPresets.map((row): Preset => {
    const found = newer.find(({ name, date }) => name === row.name && row.isEdge && date > row.date);
    return found ? { ...row, ...found } : row;
  });
  current = new Map(replaced.map((row) => [row.name, row]));
}

/** Replaces names of presets by their networks. Other texts stay. */
export function expandPresets(texts: readonly string[]): readonly string[] {
  return texts.some((text) => current.has(text)) ? texts.flatMap((text) => presetOf(text)?.networks ?? [text]) : texts;
}

const dayMs = 86_400_000;

/** The age of the networks of a preset in days. 0 for those that do not change. */
export const ageDays = ({ date }: Preset, now: number): number =>
  date === '' ? 0 : Math.floor((now - Date.parse(date)) / dayMs);
