import type { CommandGroup } from '../program/command.ts';

export const definition: CommandGroup = {
  description:
    'Presets are the networks of CDNs, of load balancers and private ones. Each list of networks in a policy and in tcp-guard.yaml ' +
    'may name them. Without a subcommand, `list` runs.',
  examples: [
    { line: 'guardcli presets', note: 'the presets, with the dates of their networks' },
    { line: 'guardcli presets update', note: 'fetch newer networks from the providers' },
  ],
  usual: 'list',
  subcommands: [
    {
      name: 'list',
      summary: 'list the presets and the dates of their networks (the default)',
      load: async () => (await import('../presets/commands.ts')).listCommand,
    },
    {
      name: 'update',
      summary: 'write newer networks from the providers beside the policy',
      load: async () => (await import('../presets/commands.ts')).updateCommand,
    },
  ],
};
