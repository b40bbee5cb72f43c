import { connect, diskFiles } from '../../containers/connect.ts';
import { open } from '../../containers/docker.ts';
import { sandboxLabel } from '../../containers/labels.ts';
import { readable } from '../../platform/escape.ts';
import { command } from '../program/command.ts';
import { table } from '../program/table.ts';
import { type ListedSandbox, sandboxesOf } from '../sandbox/session/listed.ts';

interface Row extends Pick<ListedSandbox, 'name' | 'target'> {
  /** Published port. Null when the sandbox publishes none. */
  readonly port: number | null;
  readonly state: 'detached' | 'attached' | 'stopped';
  /** Time of the start: RFC 3339, UTC. */
  readonly started: string;
}

interface SandboxList {
  readonly sandboxes: readonly Row[];
}

/** `attached`: the command that started the sandbox still runs, and removes the sandbox when it ends. */
function rowOf({ name, target, port, isRunning, isDetached, startedAt }: ListedSandbox): Row {
  const state = isDetached ? 'detached' : 'attached';
  const started = new Date(startedAt).toISOString();
  return { name, target, port: port ?? null, state: isRunning ? state : 'stopped', started };
}

export const definition = command<object, SandboxList>({
  description:
    'Lists the sandboxes of this container runtime, also those of other users. guardcli cleanup removes them.',
  examples: [
    { line: 'guardcli sandbox list', note: 'what runs, and on which port' },
    { line: "guardcli sandbox list --json | jq '.sandboxes[].port'", note: 'for scripts' },
  ],
  configure: (parser) => parser,
  run: async (_options, { env, signal }) => {
    const containers = await connect(env, diskFiles, open, signal);
    return { sandboxes: sandboxesOf(await containers.list('container', sandboxLabel, { signal })).map(rowOf) };
  },
  text: ({ sandboxes }, paint) => {
    if (sandboxes.length === 0) return 'no sandboxes';
    const title = ['name', 'target', 'port', 'state', 'started'].map((name) => paint('dim', name));
    const rows = sandboxes.map(({ name, target, port, state, started }) => [
      ...[readable(name), target, String(port ?? '-'), state, started],
    ]);
    return table([title, ...rows], { indent: '' }).join('\n');
  },
});
