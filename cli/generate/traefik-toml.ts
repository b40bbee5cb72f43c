/** A policy as a TOML file for Traefik's file provider. */
import type { Policy } from '../../contract/policy/schema.ts';
import type { Generated } from './generated.ts';
import { tomlText } from './toml.ts';
import { dynamicConfiguration, fileNotes, notes, pluginFields } from './traefik.ts';
import { forFile } from './traefik-file.ts';

export function generateTraefikToml(policy: Policy): Generated {
  const table = dynamicConfiguration(forFile(pluginFields(policy))) as Record<string, unknown>;
  return { text: `${notes(fileNotes, policy)}\n${tomlText(table)}` };
}
