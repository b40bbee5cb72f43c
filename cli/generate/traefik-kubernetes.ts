/** A policy as a Middleware of Traefik's resource definitions for Kubernetes. */
import type { Policy } from '../../contract/policy/schema.ts';
import type { Generated } from './generated.ts';
import { notes, plugin, pluginFields } from './traefik.ts';
import { forKubernetes } from './traefik-texts.ts';
import { yamlDocument, yamlText } from './yaml.ts';

const where = [
  'Middleware for Traefik in Kubernetes. Create it in the namespace of the routes that use it.',
  'Put the guard first, in each rule of an HTTPRoute of the Gateway API:',
  '',
  '  filters:',
  '    - type: ExtensionRef',
  '      extensionRef:',
  '        group: traefik.io',
  '        kind: Middleware',
  `        name: ${plugin}`,
  '',
  'in each route of an IngressRoute:',
  '',
  '  middlewares:',
  `    - name: ${plugin}`,
  '',
  'or in the annotations of an Ingress:',
  '',
  `  traefik.ingress.kubernetes.io/router.middlewares: <namespace>-${plugin}@kubernetescrd`,
  '',
  'Middlewares need the provider kubernetesCRD, beside kubernetesGateway or kubernetesIngress.',
] as const;

export function generateTraefikKubernetes(policy: Policy): Generated {
  const middleware = {
    apiVersion: 'traefik.io/v1alpha1',
    kind: 'Middleware',
    metadata: { name: plugin },
    spec: { plugin: { [plugin]: forKubernetes(pluginFields(policy)) } },
  };
  return { text: `${notes(where, policy)}\n${yamlText(yamlDocument(middleware))}` };
}
