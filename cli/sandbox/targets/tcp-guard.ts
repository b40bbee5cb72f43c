/** tcp-guard: the daemon in a container, in front of scripted backends. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import { parseListen } from '../../../contract/values/endpoint.ts';
import { yamlDocument, yamlText } from '../../generate/yaml.ts';
import { type Conversation, conversations, wrongPasswords } from '../../probes/tcp/conversations.ts';
import type { PublishedDaemon, PublishedService, ServiceConfig } from '../../probes/tcp/published.ts';
import type { ImageParts } from '../image/parts.ts';
import type { MountedFiles } from '../plan/mounted-files.ts';
import {
  type Assembly,
  assemblePlan,
  containerPort,
  type HostPorts,
  type Plan,
  type RunnerPlan,
  runnerFile,
  type Upstream,
} from '../plan/plan.ts';
import { type ConfigFile, configFolder } from '../plan/proxy.ts';
import { type Passed, sandboxVariables, unfitVariable, variableNotes } from '../plan/variables.ts';
import {
  type ConfigInput,
  daemonIn,
  databaseFile,
  intakeFile,
  type Listeners,
  listenersOf,
  policyFile,
  portsOf,
} from './tcp-guard-config.ts';
import { notesOf } from './tcp-guard-notes.ts';

export const tcpGuard: ImageParts = {
  name: 'tcp-guard',
  folder: 'sandbox-images/tcp-guard',
  base: 'debian',
  artefacts: ['runner'],
  runtime: 'node',
  sources: ['package.json', 'dist/bin'],
  native: 're2',
};

const file = 'tcp-guard.yaml';

/**
 * Command line of the daemon. The runner and kernel buffers share the 512 MiB of the container, so the heap is small.
 */
const daemonCommand = [
  '/usr/local/bin/node',
  '--inspect-port=192.0.2.1:0', // SIGUSR1 opens no debugger: this machine cannot bind an address of RFC 5737
  '--max-old-space-size=64',
  '/app/dist/bin/tcp-guard.js',
  '-c',
  `${configFolder}/${file}`,
];

export interface TcpInput
  extends Omit<Assembly, 'name' | 'hostPorts' | 'env' | 'hostNames' | 'files' | 'notes'>,
    ConfigInput {
  /** Port of the API on this machine. The other listeners use the following ports. */
  readonly port: number;
  readonly passed: Passed;
}

export interface TcpPlan extends Plan, PublishedDaemon {
  readonly hostPorts: HostPorts;
}

const base64Of = (bytes: Buffer): string => bytes.toString('base64');

function upstreamOf({ protocol, upstream, proxy_protocol }: ServiceConfig): Upstream {
  const { greeting, hello = [], badLogin }: Conversation = conversations[protocol];
  const failedLogins = badLogin ? wrongPasswords.flatMap((password) => badLogin(password)) : [];
  const replies = [...failedLogins, ...hello].map(({ send, reply }) => ({
    when: base64Of(send),
    send: base64Of(reply),
  }));
  const takesProxy = proxy_protocol.send !== 'off';
  const tls = protocol === 'tls';
  return { listen: upstream, takesProxy, tls, ...(greeting && { greeting: base64Of(greeting) }), replies };
}

function runnerOf({ token, detach }: TcpInput, listeners: Listeners, api: number): RunnerPlan {
  const ports = portsOf(listeners);
  const at = (index: number): string => `:${containerPort(index)}`;
  return {
    command: daemonCommand,
    ready: `127.0.0.1:${api}/health`,
    upstreams: listeners.services.map(([, config]) => upstreamOf(config)),
    appends: listeners.intakes.map((_, index) => ({ listen: at(ports.intake(index)), file: intakeFile(index) })),
    ...(listeners.hasDecisions && { decisions: { listen: at(ports.decisions), key: token } }),
    holdStdin: !detach,
  };
}

function copiedFiles({ policies, database: copied }: MountedFiles): ConfigFile[] {
  const files = [...policies.values()].map(({ text }, index) => ({ name: policyFile(index), text }));
  if (typeof copied !== 'object') return files;
  const { bytes } = copied;
  return [...files, { name: databaseFile, text: `${bytes.length} bytes`, bytes }];
}

function publishedServices({ daemon, mounted, port }: TcpInput, inside: Daemon): PublishedService[] {
  return Object.entries(inside.services).map(([name, config], index) => {
    const path = config.http?.policy === undefined ? undefined : daemon.services[name]?.http?.policy;
    const policy = mounted.policies.get(path ?? '')?.policy;
    return { name, config, hostPort: port + 1 + index, ...(policy && { policy }) };
  });
}

/** Replaces variables by their values. @throws UsageError when a key refuses such a value */
function withVariables(written: ConfigFile, daemon: Daemon, { passed }: TcpInput): Daemon {
  const loaded = loadDaemon(Buffer.from(written.text), written.name, sandboxVariables(daemon, passed));
  if (loaded.ok) return loaded.value;
  throw unfitVariable(daemon, loaded.problems[0]?.path ?? '', passed);
}

export function planTcpGuard(input: TcpInput): TcpPlan {
  const { image, session, ipv6, isolated, detach, port, mounted } = input;
  const listeners = listenersOf(input);
  const ports = portsOf(listeners);
  const unexpanded = daemonIn(input, listeners);
  const env = sandboxVariables(unexpanded, input.passed);
  const written = { name: file, text: yamlText(yamlDocument(unexpanded)) };
  const daemon = withVariables(written, unexpanded, input);
  const runner = runnerFile(runnerOf(input, listeners, parseListen(daemon.api.listen)?.port ?? 0));
  const hostPorts = [port, ...Array.from({ length: ports.count - 1 }, (_, index) => port + 1 + index)] as const;
  const plan = assemblePlan({
    ...{ name: tcpGuard.name, image, session, ipv6, isolated, detach, hostPorts },
    env,
    hostNames: [],
    files: [runner, written, ...copiedFiles(mounted)],
    notes: [...notesOf(input), ...variableNotes(env)],
  });
  return {
    ...plan,
    ...{ daemon, hostPorts, services: publishedServices(input, daemon) },
    traps: listeners.traps.map((listen, index) => ({ listen, hostPort: port + ports.trap(index) })),
    intakes: listeners.intakes.map((source, index) => ({ source, hostPort: port + ports.intake(index) })),
    ...(listeners.hasDecisions && { decisions: port + ports.decisions }),
    ...(typeof mounted.database === 'object' && { countryOf: mounted.database.countryOf }),
  };
}
