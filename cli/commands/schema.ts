/** `guardcli schema [--tcp]` */
import { command } from '../program/command.ts';

interface Options {
  readonly tcp?: true;
}

/** A JSON Schema, draft 2020-12. */
export type SchemaResult = Readonly<Record<string, unknown>>;

const load = {
  policy: () => import('../../contract/generated/policy.schema.json', { with: { type: 'json' } }),
  daemon: () => import('../../contract/generated/daemon.schema.json', { with: { type: 'json' } }),
};

export const schemaCommand = command<Options, SchemaResult>({
  description: 'Draft 2020-12. Editors use it to complete and check guard.json: put its path into "$schema".',
  examples: [
    { line: 'guardcli schema > guard.schema.json', note: 'the schema of guard.json' },
    { line: 'guardcli schema --tcp', note: 'the schema of tcp-guard.yaml' },
  ],
  configure: (parser) => parser.option('--tcp', 'the schema of tcp-guard.yaml instead of guard.json'),
  async run({ tcp }) {
    return (await load[tcp ? 'daemon' : 'policy']()).default;
  },
  text: (schema) => JSON.stringify(schema, undefined, 2),
});
