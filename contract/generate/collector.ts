/** Generates the values of event members that the dashboard's collector turns into labels. It drops other values. */
import { protocols } from '../daemon/protocols.ts';
import { auditActions, gateways } from '../events/members.ts';
import { policyModes } from '../values/policy-modes.ts';

const validValues: Readonly<Record<string, readonly string[]>> = {
  gateway: gateways,
  mode: policyModes,
  action: auditActions,
  // other names, which operators choose, are in `service_name`
  service: [...protocols, 'port_scan'],
  protocol: protocols,
};

const condition = /IsMatch\(cache\["(\w+)"\], "\^\(\?:[a-z0-9_|-]*\)\$"\)/g;

export function collectorConfiguration(current: string): string {
  const missing = new Set(Object.keys(validValues));
  const written = current.replace(condition, (_, member: string) => {
    const values = validValues[member];
    if (values === undefined) throw new Error(`collector.yaml: there are no known values of "${member}"`);
    missing.delete(member);
    return `IsMatch(cache["${member}"], "^(?:${values.join('|')})$")`;
  });
  if (missing.size > 0) throw new Error(`collector.yaml has no condition on ${[...missing].join(', ')}`);
  return written;
}
