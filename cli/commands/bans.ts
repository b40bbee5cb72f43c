import type { CommandGroup } from '../program/command.ts';

export const definition: CommandGroup = {
  description:
    'Through the management API of a running tcp-guard. GUARD_API_TOKEN is its token. Without a subcommand, `list` runs.',
  examples: [
    { line: 'guardcli bans list', note: 'who is banned, for how long, and why' },
    { line: 'guardcli bans add --ip 192.0.2.7 --duration 4h --reason scanner', note: 'ban an address' },
    { line: 'guardcli bans delete --ip 192.0.2.7', note: 'lift the ban' },
  ],
  usual: 'list',
  subcommands: [
    {
      name: 'list',
      summary: 'list the bans (the default)',
      load: async () => (await import('../bans/commands.ts')).listCommand,
    },
    {
      name: 'add',
      summary: 'ban an address or a network',
      load: async () => (await import('../bans/commands.ts')).addCommand,
    },
    {
      name: 'delete',
      aliases: ['remove', 'unban'],
      summary: 'lift a ban',
      load: async () => (await import('../bans/commands.ts')).deleteCommand,
    },
    {
      name: 'allow',
      summary: 'exempt an address or a network from bans for a time',
      load: async () => (await import('../bans/allow.ts')).allowCommand,
    },
    {
      name: 'import',
      summary: 'ban the addresses of a file',
      load: async () => (await import('../bans/transfer.ts')).importCommand,
    },
    {
      name: 'export',
      summary: 'print the bans for another program',
      load: async () => (await import('../bans/transfer.ts')).exportCommand,
    },
    {
      name: 'watch',
      summary: 'print bans as they happen',
      load: async () => (await import('../bans/commands.ts')).watchCommand,
    },
  ],
};
