import { command } from '../program/command.ts';

/** The options, each with the schema that it prints in place of that of guard.json. */
const schemaOptions = { tcp: 'daemon', suite: 'suite', events: 'event' } as const;
type Option = keyof typeof schemaOptions;
type Options = Partial<Readonly<Record<Option, true>>>;

export type SchemaResult = Readonly<Record<string, unknown>>;

const schemaLoaders = {
  policy: () => import('../../contract/generated/policy.schema.json', { with: { type: 'json' } }),
  suite: () => import('../../contract/generated/suite.schema.json', { with: { type: 'json' } }),
  daemon: () => import('../../contract/generated/daemon.schema.json', { with: { type: 'json' } }),
  event: () => import('../../contract/generated/event.schema.json', { with: { type: 'json' } }),
};

export const definition = command<Options, SchemaResult>({
  description: 'Draft 2020-12. Editors use it to complete and check guard.json: put its path into "$schema".',
  examples: [
    { line: 'guardcli schema > guard.schema.json', note: 'the schema of guard.json' },
    { line: 'guardcli schema --tcp', note: 'the schema of tcp-guard.yaml' },
    { line: 'guardcli schema --suite', note: 'the schema of cases.yaml' },
    { line: 'guardcli schema --events', note: 'the schema of a line of an event file' },
  ],
  configure: (parser) =>
    parser
      .addOption(
        parser
          .createOption('--tcp', 'the schema of tcp-guard.yaml instead of guard.json')
          .conflicts(['suite', 'events']),
      )
      .addOption(parser.createOption('--suite', 'the schema of cases.yaml, for test --suite').conflicts('events'))
      .option('--events', 'the schema of a line of an event file or of the audit file'),
  async run(options) {
    const [option] = Object.keys(options) as Option[];
    return (await schemaLoaders[option === undefined ? 'policy' : schemaOptions[option]]()).default;
  },
  text: (schema) => JSON.stringify(schema, undefined, 2),
});
