/** A policy as a Middleware of Traefik for Kubernetes. */
import type { Policy } from '../../contract/policy/schema.ts';
import { configurationNotes, pluginFields, pluginName } from './traefik.ts';
import { checkedForKubernetes } from './traefik-texts.ts';
import { yamlDocument, yamlText } from './yaml.ts';

const placeNotes = [
  'Middleware for Traefik in Kubernetes. Create it in the namespace of the routes that use it.',
  'Put the guard first, in each rule of an HTTPRoute of the Gateway API:',
  '',
  '  filters:',
  '    - type: ExtensionRef',
  '      extensionRef:',
  '        group: traefik.io',
  '        kind: Middleware',
  `        name: ${pluginName}`,
  '',
  'in each route of an IngressRoute:',
  '',
  '  middlewares:',
  `    - name: ${pluginName}`,
  '',
  'or in the annotations of an Ingress:',
  '',
  `  traefik.ingress.kubernetes.io/router.middlewares: <namespace>-${pluginName}@kubernetescrd`,
  '',
  'Middlewares need the provider kubernetesCRD, beside kubernetesGateway or kubernetesIngress.',
] as const;

export function generateTraefikKubernetes(policy: Policy): string {
  const middleware = {
    apiVersion: 'traefik.io/v1alpha1',
    kind: 'Middleware',
    metadata: { name: pluginName },
    spec: { plugin: { [pluginName]: checkedForKubernetes(pluginFields(policy)) } },
  };
  return `${configurationNotes(placeNotes, policy)}\n${yamlText(yamlDocument(middleware))}`;
}
