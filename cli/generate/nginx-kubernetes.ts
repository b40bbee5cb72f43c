/** A policy as a ConfigMap with the configuration of nginx. */
import type { Policy } from '../../contract/policy/schema.ts';
import { configMap, manifestText, mountNotes } from './config-map.ts';
import { generateNginx } from './nginx.ts';

const folder = '/etc/nginx/guard';

export function generateNginxKubernetes(policy: Policy): string {
  const file = { map: 'guard-nginx', file: 'guard.conf', text: generateNginx(policy) };
  const notes = [
    'ConfigMap for nginx in Kubernetes. The image of the pod needs the Lua module of nginx and the folder guard of the package.',
    '',
    ...mountNotes(file, folder),
    '',
    'In the http block of nginx.conf:',
    '',
    `  include ${folder}/${file.file};`,
    '',
    'nginx reads a changed file with the next "nginx -s reload".',
  ];
  return manifestText(notes, [configMap(file)]);
}
