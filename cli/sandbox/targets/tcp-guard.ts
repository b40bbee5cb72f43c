/** tcp-guard: the daemon in a container, in front of scripted backends. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { parseListen } from '../../../contract/values/endpoint.ts';
import type { CountryOf } from '../../../daemon/geo/database.ts';
import { yamlDocument, yamlText } from '../../generate/yaml.ts';
import { type Conversation, conversations } from '../../probes/tcp/conversations.ts';
import type { MountedFiles } from '../plan/mounted-files.ts';
import {
  type Assembly,
  assemble,
  containerPort,
  type Plan,
  type RunnerPlan,
  runnerFile,
  type Upstream,
} from '../plan/plan.ts';
import { type Passed, sandboxVariables, unfitVariable, variableNotes } from '../plan/variables.ts';
import { type ConfigFile, configFolder, type ImageParts } from './proxy.ts';
import {
  type ConfigInput,
  daemonIn,
  database,
  intakeFile,
  type Places,
  placesOf,
  policyFile,
  portsOf,
  type ServiceConfig,
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

/** The container has 512 MiB for the daemon, the runner and kernel buffers. */
const command = [
  '/usr/local/bin/node',
  '--inspect-port=192.0.2.1:0', // as in the first line of the program
  '--max-old-space-size=64',
  '/app/dist/bin/tcp-guard.js',
  '-c',
  `${configFolder}/${file}`,
];

export interface PublishedService {
  readonly name: string;
  readonly config: ServiceConfig;
  readonly hostPort: number;
  /** Policies that requests are checked against. */
  readonly policy?: Policy;
}

/** A trap port. `listen`: its address in the user's file. */
export interface PublishedTrap {
  readonly listen: string;
  readonly hostPort: number;
}

/** Lines sent to the port are appended to the followed file. */
export interface PublishedIntake {
  readonly source: Daemon['intake'][number];
  readonly hostPort: number;
}

export interface TcpInput
  extends Omit<Assembly, 'name' | 'hostPorts' | 'env' | 'hostNames' | 'files' | 'notes'>,
    ConfigInput {
  /** Port of the API on this machine. All others follow. */
  readonly port: number;
  readonly passed: Passed;
}

export interface TcpPlan extends Plan {
  readonly services: readonly PublishedService[];
  readonly traps: readonly PublishedTrap[];
  readonly intakes: readonly PublishedIntake[];
  /** Port of the decision service. */
  readonly decisions?: number;
  /** Ports of this machine, in order. */
  readonly hostPorts: readonly [number, ...number[]];
  /** The configuration of the daemon in the container. */
  readonly daemon: Daemon;
  /** Country lookup in the database of the container. Absent: there is none. */
  readonly countryOf?: CountryOf;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');

function upstreamOf({ protocol, upstream, proxy_protocol }: ServiceConfig): Upstream {
  const { greeting, hello = [], badLogin = [] }: Conversation = conversations[protocol];
  const replies = [...badLogin, ...hello].map(({ send, reply }) => ({ when: base64(send), send: base64(reply) }));
  const takesProxy = proxy_protocol.send !== 'off';
  const tls = protocol === 'tls';
  return { listen: upstream, takesProxy, tls, ...(greeting && { greeting: base64(greeting) }), replies };
}

function runnerOf({ token, detach }: TcpInput, places: Places, api: number): RunnerPlan {
  const ports = portsOf(places);
  const at = (index: number): string => `:${containerPort(index)}`;
  return {
    command,
    ready: `127.0.0.1:${api}/health`,
    upstreams: places.services.map(([, config]) => upstreamOf(config)),
    appends: places.intakes.map((_, index) => ({ listen: at(ports.intake(index)), file: intakeFile(index) })),
    ...(places.hasDecisions && { decisions: { listen: at(ports.decisions), key: token } }),
    holdStdin: !detach,
  };
}

/** Local files that the configuration names. */
function copies({ policies, database: copied }: MountedFiles): ConfigFile[] {
  const files = [...policies.values()].map(({ text }, index) => ({ name: policyFile(index), text }));
  if (typeof copied !== 'object') return files;
  const { bytes } = copied;
  return [...files, { name: database, text: `${bytes.length} bytes`, bytes }];
}

function publishedServices({ daemon, mounted, port }: TcpInput, inside: Daemon): PublishedService[] {
  return Object.entries(inside.services).map(([name, config], index) => {
    const held = config.http?.policy === undefined ? undefined : daemon.services[name]?.http?.policy;
    const policy = mounted.policies.get(held ?? '')?.policy;
    return { name, config, hostPort: port + 1 + index, ...(policy && { policy }) };
  });
}

/** The configuration with the values of its variables. @throws UsageError when a key cannot have such a value */
function withVariables(written: ConfigFile, daemon: Daemon, { passed }: TcpInput): Daemon {
  const loaded = loadDaemon(Buffer.from(written.text), written.name, sandboxVariables(daemon, passed));
  if (loaded.ok) return loaded.value;
  throw unfitVariable(daemon, loaded.problems[0]?.path ?? '', passed);
}

export function planTcpGuard(input: TcpInput): TcpPlan {
  const { image, session, ipv6, isolated, detach, port, mounted } = input;
  const places = placesOf(input);
  const ports = portsOf(places);
  const unexpanded = daemonIn(input, places);
  const env = sandboxVariables(unexpanded, input.passed);
  const written = { name: file, text: yamlText(yamlDocument(unexpanded)) };
  const daemon = withVariables(written, unexpanded, input);
  const runner = runnerFile(runnerOf(input, places, parseListen(daemon.api.listen)?.port ?? 0));
  const hostPorts = [port, ...Array.from({ length: ports.count - 1 }, (_, index) => port + 1 + index)] as const;
  const plan = assemble({
    ...{ name: tcpGuard.name, image, session, ipv6, isolated, detach, hostPorts },
    env,
    hostNames: [],
    files: [runner, written, ...copies(mounted)],
    notes: [...notesOf(input), ...variableNotes(env)],
  });
  return {
    ...plan,
    ...{ daemon, hostPorts, services: publishedServices(input, daemon) },
    traps: places.traps.map((listen, index) => ({ listen, hostPort: port + ports.trap(index) })),
    intakes: places.intakes.map((source, index) => ({ source, hostPort: port + ports.intake(index) })),
    ...(places.hasDecisions && { decisions: port + ports.decisions }),
    ...(typeof mounted.database === 'object' && { countryOf: mounted.database.countryOf }),
  };
}
