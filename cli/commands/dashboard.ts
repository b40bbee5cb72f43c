import { type CommandGroup, commandRow } from '../program/command.ts';

export const definition: CommandGroup = {
  description: 'In Grafana, in the terminal, or on a page. Without a subcommand, `up` runs.',
  examples: [
    { line: 'guardcli dashboard up --port 3000', note: 'start Grafana, Loki and the collector on this machine' },
    {
      line: 'guardcli dashboard report events.jsonl tcp-guard.jsonl -o report.html',
      note: 'one page for both layers, that can be mailed',
    },
  ],
  usual: 'up',
  subcommands: [
    {
      name: 'up',
      aliases: ['start'],
      summary: 'start Grafana, Loki and the collector on this machine (the default)',
      load: async () => (await import('../stack/commands.ts')).upCommand,
    },
    {
      name: 'down',
      aliases: ['stop'],
      summary: 'stop them, and remove their containers',
      load: async () => (await import('../stack/commands.ts')).downCommand,
    },
    {
      name: 'status',
      aliases: ['ps'],
      summary: 'show whether they respond, and their URLs',
      load: async () => (await import('../stack/commands.ts')).statusCommand,
    },
    {
      name: 'export',
      summary: 'write the compose file, the configurations and the dashboards to a folder',
      load: async () => (await import('../stack/commands.ts')).exportCommand,
    },
    commandRow('watch', 'show what is being blocked, and what to type about it', () => import('./watch.ts')),
    commandRow('query', 'run a LogQL query', () => import('../watch/query.ts')),
    commandRow('report', 'write a page about what was blocked', () => import('../report/command.ts')),
  ],
};
