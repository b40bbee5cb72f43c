/** `guardcli dashboard <command>`: the table of its subcommands. */
import type { CommandGroup } from '../program/command.ts';

export const dashboardCommand: CommandGroup = {
  description: 'Reads the security events of the gateways and the audit file of tcp-guard.',
  examples: [
    {
      line: 'guardcli dashboard report events.jsonl tcp-guard.jsonl -o report.html',
      note: 'one page for both layers, that can be mailed',
    },
  ],
  subcommands: [
    {
      name: 'report',
      summary: 'write a page about what was blocked, from event files alone',
      load: async () => (await import('../dashboard/report/command.ts')).reportCommand,
    },
  ],
};
