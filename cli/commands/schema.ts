import { command } from '../program/command.ts';

interface Options {
  readonly tcp?: true;
  readonly suite?: true;
}

export type SchemaResult = Readonly<Record<string, unknown>>;

const schemaLoaders = {
  policy: () => import('../../contract/generated/policy.schema.json', { with: { type: 'json' } }),
  suite: () => import('../../contract/generated/suite.schema.json', { with: { type: 'json' } }),
  daemon: () => import('../../contract/generated/daemon.schema.json', { with: { type: 'json' } }),
};

export const definition = command<Options, SchemaResult>({
  description: 'Draft 2020-12. Editors use it to complete and check guard.json: put its path into "$schema".',
  examples: [
    { line: 'guardcli schema > guard.schema.json', note: 'the schema of guard.json' },
    { line: 'guardcli schema --tcp', note: 'the schema of tcp-guard.yaml' },
    { line: 'guardcli schema --suite', note: 'the schema of cases.yaml' },
  ],
  configure: (parser) =>
    parser
      .addOption(parser.createOption('--tcp', 'the schema of tcp-guard.yaml instead of guard.json').conflicts('suite'))
      .option('--suite', 'the schema of cases.yaml, for test --suite'),
  async run({ tcp, suite }) {
    return (await schemaLoaders[tcp ? 'daemon' : suite ? 'suite' : 'policy']()).default;
  },
  text: (schema) => JSON.stringify(schema, undefined, 2),
});
