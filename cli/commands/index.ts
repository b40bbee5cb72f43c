/** The table of commands. Listing commands needs only the rows; `load` imports the code of the chosen command. */
import { type CommandRow, commandRow } from '../program/command.ts';

export const commands: readonly CommandRow[] = [
  commandRow('init', 'write a policy, its tests and a file for CI', () => import('./init.ts')),
  commandRow('test', 'evaluate a request against a policy, offline', () => import('./test.ts')),
  commandRow('replay', 'evaluate the requests of access logs against a policy', () => import('./replay.ts')),
  commandRow('allow', 'make an exception for a request that is blocked by mistake', () => import('./allow.ts')),
  commandRow('validate', 'check a policy or a daemon configuration, and summarize it', () => import('./validate.ts')),
  commandRow('explain', 'show what a rule is for and what it matches', () => import('./explain.ts')),
  commandRow('why', 'show why a request was blocked, by the reference in its response', () => import('./why.ts')),
  commandRow('diff', 'show which verdicts change between two policies', () => import('./diff.ts')),
  commandRow(
    'schema',
    'print the JSON Schema of the policy, of the daemon configuration or of a suite',
    () => import('./schema.ts'),
  ),
  commandRow('generate', 'translate a policy into the configuration of a proxy', () => import('./generate.ts')),
  commandRow('build', 'build Traefik or Caddy with the guard in it', () => import('./build.ts')),
  commandRow('sandbox', 'run the real proxy with a policy in a throwaway container', () => import('./sandbox.ts'), {
    subcommands: [commandRow('list', 'list the sandboxes that run', () => import('./sandbox-list.ts'))],
  }),
  commandRow('probe', 'run the cases of a suite against a server', () => import('./probe.ts')),
  commandRow('apply', 'replace the policy of a running Caddy', () => import('./apply.ts')),
  commandRow('bans', 'list and change the bans of a running tcp-guard', () => import('./bans.ts'), { isGroup: true }),
  commandRow('presets', 'list and update the networks of CDNs and load balancers', () => import('./presets.ts'), {
    isGroup: true,
  }),
  commandRow('dashboard', 'show what the gateways and tcp-guard blocked', () => import('./dashboard.ts'), {
    isGroup: true,
  }),
  commandRow('doctor', 'check what the commands need on this machine', () => import('./doctor.ts')),
  commandRow('ui', 'open the workbench: try requests and edit the policy', () => import('./ui.ts')),
  commandRow('cleanup', 'remove sandboxes: those that you name, or every one', () => import('./cleanup.ts')),
  commandRow('version', 'print the version', () => import('./version.ts')),
  commandRow('completion', 'print the completion script of a shell', async () => ({
    definition: (await import('./completion.ts')).completionOf(commands),
  })),
];
