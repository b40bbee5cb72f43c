/** Writes the `tcp` section of a policy as tcp-guard.yaml: every key with its value, and descriptions at first use. */
import { type Document, isMap, isPair, isScalar, isSeq, type Node, type Scalar, visit } from 'yaml';
import { type Daemon, daemonSchema } from '../../contract/daemon/schema.ts';
import { loadDaemon } from '../../contract/load/daemon.ts';
import { descriptionAt } from '../../contract/load/schema-keys.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { Path } from '../../contract/schema/problem.ts';
import { yamlDocument, yamlText } from './yaml.ts';

const headerNote = `# Configuration of tcp-guard. Texts with \${NAME} are read from the environment where it runs.
`;

const noServicesNote = `#
# The policy has no services, so nothing is guarded yet. Example of a service:
#
#   services:
#     ssh:
#       listen: ':2222'
#       upstream: '10.0.0.5:22'
#       protocol: ssh
`;

/** Returns the configuration of a `tcp` section. Never fails: the section was validated with the policy. */
export function daemonOf(tcp: Policy['tcp']): Daemon {
  const loaded = loadDaemon(new TextEncoder().encode(JSON.stringify(tcp ?? {})), 'tcp');
  if (!loaded.ok) throw new Error(`a validated tcp section was refused: ${JSON.stringify(loaded.problems)}`);
  return loaded.value;
}

/** Returns the path of a key in the document. All entries of a list have the same path. */
function pathOf(ancestors: readonly unknown[], key: string): Path {
  const above = ancestors.flatMap((ancestor): Path => {
    if (isSeq(ancestor)) return [0];
    return isPair(ancestor) ? [String((ancestor.key as Scalar).value)] : [];
  });
  return [...above, key];
}

/** Identifies a description. Users choose the names of services, so a key has one description for all services. */
const subjectOf = (path: Path): string => (path[0] === 'services' ? ['services', ...path.slice(2)] : path).join('.');

/** Writes each description above the first use of its key. */
function addDescriptions(document: Document<Node>): void {
  const schema = daemonSchema();
  const seen = new Set<string>();
  visit(document, {
    Pair(_index, pair, ancestors) {
      if (!isScalar(pair.key)) return;
      const path = pathOf(ancestors, String(pair.key.value));
      const description = descriptionAt(schema, path);
      if (path.length === 1) pair.key.spaceBefore = true;
      if (description === undefined || seen.has(subjectOf(path))) return;
      seen.add(subjectOf(path));
      pair.key.commentBefore = ` ${description}`;
    },
  });
}

export function generateDaemon({ tcp }: Policy): string {
  const value = daemonOf(tcp);
  const document = yamlDocument(value);
  addDescriptions(document);
  const services = document.get('services');
  const isBare = !isMap(services) || services.items.length === 0;
  return `${headerNote}${isBare ? noServicesNote : ''}${yamlText(document)}`;
}
