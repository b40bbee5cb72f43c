/** From a policy to everything that is started for it. Pure: `--dry-run` prints what this returns. */
import type { Policy } from '../../contract/policy.ts';
import type { ContainerSpec, NetworkSpec, PublishedPort } from './containers.ts';
import { firstContainerPort } from './hardening.ts';
import { sandboxLabels } from './labels.ts';
import type { ConfigFile, Site, Target } from './targets/target.ts';

/** Addresses inside the container. */
const echo = '127.0.0.1:9000';
const ready = '127.0.0.1:9001';

/** The name by which an open container reaches services of the machine it runs on. */
const machineName = 'host.docker.internal';

/** A policy and the port of this machine it is served on. */
export interface PublishedSite {
  readonly policy: Policy;
  readonly hostPort: number;
}

export interface PlanInput {
  readonly target: Target;
  readonly sites: readonly PublishedSite[];
  readonly image: string;
  readonly session: string;
  /** Whether this machine has an IPv6 loopback to publish on. */
  readonly ipv6: boolean;
  /** Origin of the user's own backend; absent: the echo. */
  readonly upstream?: URL | undefined;
  readonly isolated: boolean;
  /** The sandbox outlives the command. */
  readonly detach: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What runner.json says; the runner knows the meaning of each key. */
export interface RunnerPlan {
  readonly command?: readonly string[];
  readonly echo?: string;
  readonly ready?: string;
  readonly listen?: readonly string[];
  readonly forward?: readonly { readonly listen: string; readonly to: string }[];
  readonly holdStdin: boolean;
}

/** A container and the files that are unpacked inside it. */
export interface PlannedContainer {
  readonly spec: ContainerSpec;
  readonly files: readonly ConfigFile[];
}

export interface Plan {
  readonly target: Target;
  readonly session: string;
  readonly sandbox: PlannedContainer;
  readonly sites: readonly PublishedSite[];
  /** What the user has to know about this sandbox, one sentence each. */
  readonly notes: readonly string[];
  /** Present when the sandbox is isolated: its closed network, and the gate through which its ports are published. */
  readonly isolation?: { readonly network: NetworkSpec; readonly gate: PlannedContainer };
}

export const runnerFile = (plan: RunnerPlan): ConfigFile => ({
  name: 'runner.json',
  text: `${JSON.stringify(plan, undefined, 2)}\n`,
});

const containerPort = (index: number): number => firstContainerPort + index;

function published({ sites, ipv6 }: PlanInput): PublishedPort[] {
  const addresses = ipv6 ? (['127.0.0.1', '::1'] as const) : (['127.0.0.1'] as const);
  return sites.flatMap(({ hostPort }, index) =>
    addresses.map((hostAddress) => ({ hostAddress, hostPort, containerPort: containerPort(index) })),
  );
}

/** A read-only container keeps no files: events go where the sandbox can be seen. */
function inSandbox(policy: Policy): Policy {
  const { securityLogFile: _, ...rest } = policy;
  return rest;
}

/** Variables that the policy names as `${NAME}`: the guard inside reads them from its environment. */
function namedVariables(policy: Policy): readonly string[] {
  const values = [policy.secret, policy.response.captcha?.secretKey];
  return values.flatMap((value) => /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value ?? '')?.[1] ?? []);
}

function environment({ sites, env }: PlanInput): Record<string, string> {
  const names = sites.flatMap(({ policy }) => namedVariables(policy));
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127\..*|\[::1\])$/.test(hostname);

function backendOf(upstream: URL | undefined): { readonly origin: string; readonly hostNames: readonly string[] } {
  if (!upstream) return { origin: `http://${echo}`, hostNames: [] };
  if (!isLoopback(upstream)) return { origin: upstream.origin, hostNames: [] };
  const moved = new URL(upstream);
  moved.hostname = machineName;
  return { origin: moved.origin, hostNames: [machineName] };
}

function notesOf({ sites, upstream }: PlanInput): string[] {
  const notes: string[] = [];
  if (sites.some(({ policy }) => policy.securityLogFile !== undefined)) {
    notes.push('securityLogFile is left out: a sandbox writes its events to its standard output');
  }
  if (upstream && isLoopback(upstream)) {
    notes.push(`the upstream is reached as ${machineName}: it must listen on more than the loopback of this machine`);
  }
  return notes;
}

function sandboxOf(input: PlanInput, network: NetworkSpec | undefined): PlannedContainer {
  const { target, detach } = input;
  const sites: Site[] = input.sites.map(({ policy }, index) => ({
    policy: inSandbox(policy),
    port: containerPort(index),
  }));
  const backend = backendOf(input.upstream);
  const runner: RunnerPlan = {
    command: target.command,
    echo,
    ready,
    listen: sites.map(({ port }) => `127.0.0.1:${port}`),
    holdStdin: !detach,
  };
  const spec: ContainerSpec = {
    name: `request-guard-${target.name}-${input.session}`,
    image: input.image,
    labels: sandboxLabels(input.session, target.name),
    env: environment(input),
    ports: network ? [] : published(input),
    networks: network ? [network.name] : [],
    hostNames: backend.hostNames,
    stdin: !detach,
  };
  const files = target.configure({ sites, backend: backend.origin, ready, echo });
  return { spec, files: [runnerFile(runner), ...files] };
}

function gateOf(input: PlanInput, network: NetworkSpec, sandbox: string): PlannedContainer {
  const ports = input.sites.map((_, index) => containerPort(index));
  const forward = ports.map((port) => ({ listen: `:${port}`, to: `${sandbox}:${port}` }));
  const spec: ContainerSpec = {
    name: `request-guard-gate-${input.session}`,
    image: input.image,
    labels: sandboxLabels(input.session, 'gate'),
    env: {},
    ports: published(input),
    // A closed network publishes nothing, so the gate starts on the open bridge and joins.
    networks: ['bridge', network.name],
    hostNames: [],
    stdin: !input.detach,
  };
  return { spec, files: [runnerFile({ forward, holdStdin: !input.detach })] };
}

export function planSandbox(input: PlanInput): Plan {
  const labels = sandboxLabels(input.session, input.target.name);
  const network = input.isolated ? { name: `request-guard-${input.session}`, labels } : undefined;
  const sandbox = sandboxOf(input, network);
  return {
    target: input.target,
    session: input.session,
    sandbox,
    sites: input.sites,
    notes: notesOf(input),
    ...(network && { isolation: { network, gate: gateOf(input, network, sandbox.spec.name) } }),
  };
}
