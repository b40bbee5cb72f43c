/** A policy as a YAML file for Traefik's file provider. */
import type { Policy } from '../../contract/policy/schema.ts';
import type { Generated } from './generated.ts';
import { dynamicConfiguration, fileNotes, notes, pluginFields } from './traefik.ts';
import { forFile } from './traefik-texts.ts';
import { yamlDocument, yamlText } from './yaml.ts';

export function generateTraefikYaml(policy: Policy): Generated {
  const document = yamlDocument(dynamicConfiguration(forFile(pluginFields(policy))));
  return { text: `${notes(fileNotes, policy)}\n${yamlText(document)}` };
}
