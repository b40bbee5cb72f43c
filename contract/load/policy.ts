import { daemonSchema } from '../daemon/schema.ts';
import { limits } from '../policy/limits.ts';
import { Policy } from '../policy/schema.ts';
import { type Form, loadFile } from './check.ts';
import { readJson } from './json.ts';
import { type Loaded, required } from './problem.ts';
import { policyWarnings } from './warnings/policy.ts';

export const policyForm: Form<typeof Policy> = {
  schema: Policy,
  maxBytes: limits.policyFileBytes,
  read: readJson,
  schemaAt: (path) => (path[0] === 'tcp' ? { schema: daemonSchema(), path: path.slice(1) } : { schema: Policy, path }),
  warnings: policyWarnings,
};

/** Returns a policy. @throws Error that names its first problem, with the place */
export const requirePolicy = (bytes: Uint8Array, name: string): Policy => required(loadPolicy(bytes, name));

/** Reads a policy in JSON. `name` is the user's name for the file. Never throws. */
export function loadPolicy(bytes: Uint8Array, name: string): Loaded<Policy> {
  return loadFile(bytes, name, policyForm);
}
