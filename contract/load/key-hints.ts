/** Suggests the key that a user meant by an unknown one. */
import type * as z from 'zod/mini';
import type { Path } from '../schema/problem.ts';
import { didYouMean, nearest } from '../values/nearest.ts';
import { keysAt, placesOf } from './schema-keys.ts';

/** The schema that describes a value, and the path from that schema to the value. */
export interface SchemaPlace {
  readonly schema: z.core.$ZodType;
  readonly path: Path;
}

/** Maximum number of keys that an object has in a hint about a value in its place: a longer list does not help. */
export const listedKeys = 10;
/** Maximum number of keys in a hint about an unknown one, where nothing else helps. `response` has 16. */
const mostKeys = 20;
export const keysHint = (keys: readonly string[]): string => `the keys here are ${keys.join(', ')}`;

/** Returns how to nest a key that the user wrote as a dotted path, such as `response.status`. */
function nestedHint({ schema, path }: SchemaPlace, key: string): string | undefined {
  const names: string[] = [];
  for (const part of key.split('.')) {
    const name = nearest(part, keysAt(schema, [...path, ...names]));
    if (name === undefined) return undefined;
    names.push(name);
  }
  const [last = '', ...outer] = names.reverse();
  if (outer.length === 0) return undefined;
  return `keys are nested: ${outer.reduce((inner, name) => `"${name}": {${inner}}`, `"${last}": ...`)}`;
}

const policyHint = 'this is a key of a policy: guardcli validate checks such a file';

/** Root keys that show that the file is of another kind, each with what to do. */
const foreignKeys: Readonly<Record<string, string>> = {
  handler: "this is the form of Caddy's JSON: delete this key, and write the others in camelCase",
  cases: 'this is a suite of cases: guardcli test --suite runs it',
  ...{ methods: policyHint, checkQuery: policyHint, blockPatterns: policyHint, exploits: policyHint },
  apps: 'this is a configuration of Caddy: pass the policy, or check this file with caddy validate',
  http: 'this is a configuration of Traefik: pass the policy that guardcli generate reads',
  apiVersion: 'this is a manifest of Kubernetes: pass the policy that guardcli generate reads',
  labels: 'these are labels of a container: pass the policy that guardcli generate reads',
};

/** Keys of a service in a compose file, whose `services` are containers. */
const composeKeys: readonly string[] = ['image', 'build', 'container_name'];
const composeHint = 'this is a compose file: pass tcp-guard.yaml, which has the services that tcp-guard relays';

/** Suggests a similar key, the same key elsewhere, or the allowed keys. In a file, names the program that a key is of. */
export function keyHint({ schema, path }: SchemaPlace, key: string, isInFile: boolean): string | undefined {
  const known = keysAt(schema, path);
  if (isInFile && path.length === 0 && Object.hasOwn(foreignKeys, key)) return foreignKeys[key];
  if (path.length === 2 && path[0] === 'services' && composeKeys.includes(key)) return composeHint;
  const near = didYouMean(key, known) ?? nestedHint({ schema, path }, key);
  if (near !== undefined) return near;
  const depth = (place: string): number => place.split('.').length;
  const [place] = placesOf(schema, key).toSorted((a, b) => depth(a) - depth(b));
  if (place !== undefined) return `did you mean "${place}"?`;
  if (known.length > mostKeys) return 'guardcli schema prints every key: of a policy, and with --tcp of tcp-guard.yaml';
  return known.length > 0 ? keysHint(known) : undefined;
}
