/** A scanner sends many requests from one address. Visitors who match a rule send a few each. */
import type { RuleRow } from './result.ts';

export const suspicion = { clients: 10, perClient: 3 } as const;
const mostSuspects = 20;

export function suspectsOf(rules: readonly RuleRow[]): RuleRow[] {
  return rules
    .filter(({ layer, clients }) => layer === 'gateway' && clients >= suspicion.clients)
    .filter(({ perClient }) => perClient <= suspicion.perClient)
    .sort((one, other) => other.clients - one.clients)
    .slice(0, mostSuspects);
}
