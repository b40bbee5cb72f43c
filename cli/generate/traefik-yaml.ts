/** A policy as a YAML file for Traefik's file provider. */
import type { Policy } from '../../contract/policy/schema.ts';
import { configurationNotes, dynamicConfiguration, fileNotes, pluginFields } from './traefik.ts';
import { checkedForFile } from './traefik-texts.ts';
import { yamlDocument, yamlText } from './yaml.ts';

export function generateTraefikYaml(policy: Policy): string {
  const document = yamlDocument(dynamicConfiguration(checkedForFile(pluginFields(policy))));
  return `${configurationNotes(fileNotes, policy)}\n${yamlText(document)}`;
}
