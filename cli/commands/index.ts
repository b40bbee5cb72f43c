/** The table of commands. Listing commands needs only the rows; `load` imports the code of the chosen command. */
import type { CommandRow } from '../program/command.ts';

export const commands: readonly CommandRow[] = [
  {
    name: 'init',
    summary: 'write a policy, its tests and a file for CI',
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'test',
    summary: 'evaluate a request against a policy, offline',
    load: async () => (await import('./test.ts')).testCommand,
  },
  {
    name: 'replay',
    summary: 'evaluate the requests of access logs against a policy',
    load: async () => (await import('./replay.ts')).replayCommand,
  },
  {
    name: 'allow',
    summary: 'make an exception for a request that is blocked by mistake',
    load: async () => (await import('./allow.ts')).allowCommand,
  },
  {
    name: 'validate',
    summary: 'check a policy or a daemon configuration, and summarize it',
    load: async () => (await import('./validate.ts')).validateCommand,
  },
  {
    name: 'explain',
    summary: 'show what a rule is for and what it matches',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  {
    name: 'why',
    summary: 'show why a request was blocked, by the reference in its response',
    load: async () => (await import('./why.ts')).whyCommand,
  },
  {
    name: 'diff',
    summary: 'show which verdicts change between two policies',
    load: async () => (await import('./diff.ts')).diffCommand,
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of the policy, of the daemon configuration or of a suite',
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  {
    name: 'generate',
    summary: 'translate a policy into the configuration of a proxy',
    load: async () => (await import('./generate.ts')).generateCommand,
  },
  {
    name: 'build',
    summary: 'build Traefik or Caddy with the guard in it',
    load: async () => (await import('./build.ts')).buildCommand,
  },
  {
    name: 'sandbox',
    summary: 'run the real proxy with a policy in a throwaway container',
    load: async () => (await import('./sandbox.ts')).sandboxCommand,
    subcommands: [
      {
        name: 'list',
        summary: 'list the sandboxes that run',
        load: async () => (await import('./sandbox-list.ts')).sandboxListCommand,
      },
    ],
  },
  {
    name: 'probe',
    summary: 'run the cases of a suite against a server',
    load: async () => (await import('./probe.ts')).probeCommand,
  },
  {
    name: 'apply',
    summary: 'replace the policy of a running Caddy',
    load: async () => (await import('./apply.ts')).applyCommand,
  },
  {
    name: 'bans',
    summary: 'list and change the bans of a running tcp-guard',
    load: async () => (await import('./bans.ts')).bansCommand,
    isGroup: true,
  },
  {
    name: 'dashboard',
    summary: 'show what the gateways and tcp-guard blocked',
    load: async () => (await import('./dashboard.ts')).dashboardCommand,
    isGroup: true,
  },
  {
    name: 'doctor',
    summary: 'check what the commands need on this machine',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'ui',
    summary: 'open the workbench: try requests and edit the policy',
    load: async () => (await import('./ui.ts')).uiCommand,
  },
  {
    name: 'cleanup',
    summary: 'remove sandboxes: those that you name, or every one',
    load: async () => (await import('./cleanup.ts')).cleanupCommand,
  },
  {
    name: 'version',
    summary: 'print the version',
    load: async () => (await import('./version.ts')).versionCommand,
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    load: async () => (await import('./completion.ts')).completionOf(commands),
  },
];
