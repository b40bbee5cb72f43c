/** A policy as a ConfigMap with the `guard` block for Caddy. */
import type { Policy } from '../../contract/policy/schema.ts';
import { generateCaddy } from './caddy.ts';
import { configMap, manifestText, mountNotes } from './config-map.ts';

const folder = '/etc/caddy/guard';

export function generateCaddyKubernetes(policy: Policy): string {
  const file = { map: 'guard-caddy', file: 'guard.caddy', text: generateCaddy(policy) };
  const notes = [
    'ConfigMap for Caddy in Kubernetes. The image of the pod needs a Caddy with the guard: guardcli build caddy --image <name>.',
    '',
    ...mountNotes(file, folder),
    '',
    'Import the block in each site of the Caddyfile:',
    '',
    '  example.com {',
    '    route {',
    `      import ${folder}/${file.file}`,
    '      reverse_proxy backend:8080',
    '    }',
    '  }',
    '',
    'Caddy reads a changed file with the next "caddy reload --force".',
  ];
  return manifestText(notes, [configMap(file)]);
}
