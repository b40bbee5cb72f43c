/** Plans the containers, files and networks of a sandbox. Pure: `--dry-run` prints the result. */

import type { ContainerSpec, NetworkSpec, PublishedPort } from '../../../containers/containers.ts';
import { firstContainerPort } from '../../../containers/hardening.ts';
import { sandboxLabels } from '../../../containers/labels.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { type ConfigFile, configFolder, type SandboxProxy, type Site } from './proxy.ts';
import { type Passed, sandboxVariables, variableNotes } from './variables.ts';

/**
 * Addresses in the container: the echo backend, the listener without a guard that shows readiness, the captcha stub.
 */
const echoAddress = '127.0.0.1:9000';
const readyAddress = '127.0.0.1:9001';
const providerAddress = '127.0.0.1:9002';

/** Name of this machine for a container with open network. */
const machineName = 'host.docker.internal';

/** Ports that must be free. The first one serves requests. */
export type HostPorts = readonly [number, ...number[]];

interface PublishedSite {
  readonly policy: Policy;
  readonly hostPort: number;
}

export interface PlanInput {
  readonly target: SandboxProxy;
  readonly sites: readonly PublishedSite[];
  readonly image: string;
  readonly session: string;
  /** True when this machine has an IPv6 loopback. */
  readonly ipv6: boolean;
  /** Backend of the user. Undefined: the echo backend in the container. */
  readonly upstream?: URL | undefined;
  readonly isolated: boolean;
  /** True when the sandbox outlives the command. */
  readonly detach: boolean;
  /** True when stubs replace the captcha provider and, if the sandbox is isolated, the server of mode proxy. */
  readonly stubs: boolean;
  readonly passed: Passed;
  /** The ban list of all sites. It stays in the container, whatever file a policy names. */
  readonly bans?: Uint8Array;
}

const banListName = 'bans';

/** A scripted backend. `greeting`, `when` and `send` are base64. */
export interface Upstream {
  readonly listen: string;
  /** True when connections begin with a PROXY header, which the backend skips. */
  readonly takesProxy?: boolean;
  readonly tls?: boolean;
  readonly greeting?: string;
  readonly replies?: readonly { readonly when: string; readonly send: string }[];
}

/** The content of runner.json. The runner is process 1 of a container: it starts the proxy and serves the echo. */
export interface RunnerPlan {
  readonly command?: readonly string[];
  readonly echo?: string;
  readonly ready?: string;
  readonly listen?: readonly string[];
  readonly upstreams?: readonly Upstream[];
  readonly appends?: readonly { readonly listen: string; readonly file: string }[];
  readonly follow?: readonly string[];
  readonly decisions?: { readonly listen: string; readonly key: string };
  readonly provider?: string;
  readonly forward?: readonly { readonly listen: string; readonly to: string }[];
  readonly holdStdin: boolean;
}

export interface PlannedContainer {
  readonly spec: ContainerSpec;
  readonly files: readonly ConfigFile[];
}

export interface Plan {
  readonly session: string;
  readonly sandbox: PlannedContainer;
  /** Remarks for the user, one sentence each. */
  readonly notes: readonly string[];
  /** The gate publishes the ports of an isolated sandbox, whose network is closed. */
  readonly isolation?: { readonly network: NetworkSpec; readonly gate: PlannedContainer };
}

export const runnerFile = (plan: RunnerPlan): ConfigFile => ({
  name: 'runner.json',
  text: `${JSON.stringify(plan, undefined, 2)}\n`,
});

/** Returns the port of a listener in the container. @param index place of the listener */
export const containerPort = (index: number): number => firstContainerPort + index;

function publishedPorts({ hostPorts, ipv6 }: Assembly): PublishedPort[] {
  const addresses = ipv6 ? (['127.0.0.1', '::1'] as const) : (['127.0.0.1'] as const);
  return hostPorts.flatMap((hostPort, index) =>
    addresses.map((hostAddress) => ({ hostAddress, hostPort, containerPort: containerPort(index) })),
  );
}

/** Event file of a listener, in a tmpfs. The runner copies new lines to its output. */
const eventFile = (index: number): string => `/tmp/events-${index}.jsonl`;

/** Returns the captcha of a policy. Undefined when the policy does not verify captchas. */
const verifyingCaptcha = ({ response: { mode, captcha } }: Policy) =>
  mode === 'captcha' && captcha?.secretKey !== undefined ? captcha : undefined;

const usesProxyStub = ({ response, banList }: Policy, { isolated }: PlanInput): boolean =>
  isolated && [response.mode, banList?.response?.mode].includes('proxy');

/** Returns the keys with which the guard calls the stubs. */
function stubKeys(policy: Policy, input: PlanInput): Partial<Policy['response']> {
  const captcha = verifyingCaptcha(policy);
  return {
    ...(captcha && { captcha: { ...captcha, verifyUrl: `http://${providerAddress}/siteverify` } }),
    ...(usesProxyStub(policy, input) && { proxyUrl: `http://${echoAddress}` }),
  };
}

/** Returns the ban list of a policy with the file of the sandbox. */
function sandboxBanList(policy: Policy, input: PlanInput): Policy['banList'] {
  const { response } = policy.banList ?? {};
  const proxied = input.stubs && usesProxyStub(policy, input) && { proxyUrl: `http://${echoAddress}` };
  return { file: `${configFolder}/${banListName}`, ...(response && { response: { ...response, ...proxied } }) };
}

function sandboxPolicy({ policy }: PublishedSite, index: number, input: PlanInput): Policy {
  return {
    ...policy,
    ...(policy.securityLogFile !== undefined && { securityLogFile: eventFile(index) }),
    ...(policy.banList && { banList: sandboxBanList(policy, input) }),
    ...(input.stubs && { response: { ...policy.response, ...stubKeys(policy, input) } }),
  };
}

const variablesOf = ({ sites, passed }: PlanInput): Readonly<Record<string, string>> =>
  sandboxVariables(
    sites.map(({ policy: { secret, response } }) => [secret, response.captcha?.secretKey]),
    passed,
  );

const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127\..*|\[::1\])$/.test(hostname);

function backendOf(upstream: URL | undefined): { readonly origin: string; readonly hostNames: readonly string[] } {
  if (!upstream) return { origin: `http://${echoAddress}`, hostNames: [] };
  if (!isLoopback(upstream)) return { origin: upstream.origin, hostNames: [] };
  const reachable = new URL(upstream);
  reachable.hostname = machineName;
  return { origin: reachable.origin, hostNames: [machineName] };
}

function notesOf(input: PlanInput): string[] {
  const { sites, upstream, stubs } = input;
  const notes = variableNotes(variablesOf(input));
  if (stubs && sites.some(({ policy }) => verifyingCaptcha(policy)))
    notes.push('captcha: a stub in the container replaces the provider');
  if (stubs && sites.some(({ policy }) => usesProxyStub(policy, input)))
    notes.push('proxyUrl: the echo in the container replaces the server');
  if (sites.some(({ policy }) => policy.banList))
    notes.push('banList: the sandbox has its own list, or that of --ban-list, not the file of the policy');
  if (sites.some(({ policy }) => policy.securityLogFile !== undefined)) {
    notes.push('securityLogFile is a file in the container; its events are read from there');
  }
  if (upstream && isLoopback(upstream)) {
    notes.push(
      `the proxy reaches the upstream as ${machineName}, so the upstream must also listen on an address other than the loopback of this machine`,
    );
  }
  return notes;
}

function filesOf(input: PlanInput, backend: string): ConfigFile[] {
  const { target, detach } = input;
  const sites: Site[] = input.sites.map((site, index) => ({
    policy: sandboxPolicy(site, index, input),
    port: containerPort(index),
  }));
  const follow = sites.flatMap(({ policy: { securityLogFile: file } }) => (file === undefined ? [] : [file]));
  const runner: RunnerPlan = {
    command: target.command,
    echo: echoAddress,
    ready: readyAddress,
    listen: sites.map(({ port }) => `127.0.0.1:${port}`),
    ...(follow.length > 0 && { follow }),
    ...(input.stubs && sites.some(({ policy }) => verifyingCaptcha(policy)) && { provider: providerAddress }),
    holdStdin: !detach,
  };
  const bans = input.sites.some(({ policy }) => policy.banList) && input.bans;
  return [
    runnerFile(runner),
    ...target.configure({ sites, backend, ready: readyAddress, echo: echoAddress }),
    ...(bans ? [{ name: banListName, text: Buffer.from(bans).toString('latin1'), bytes: bans }] : []),
  ];
}

/** Input that all targets share. */
export interface Assembly {
  readonly name: string;
  readonly image: string;
  readonly session: string;
  readonly ipv6: boolean;
  readonly isolated: boolean;
  readonly detach: boolean;
  /** The first port maps to `firstContainerPort`, the others to the following ports. */
  readonly hostPorts: readonly number[];
  readonly env: Readonly<Record<string, string>>;
  readonly hostNames: readonly string[];
  readonly files: readonly ConfigFile[];
  readonly notes: readonly string[];
}

function sandboxOf(assembly: Assembly, network: NetworkSpec | undefined): PlannedContainer {
  const { name, session, image, env, hostNames, detach, files } = assembly;
  const spec: ContainerSpec = {
    name: `request-guard-${name}-${session}`,
    image,
    labels: sandboxLabels(session, name, detach),
    env,
    ports: network ? [] : publishedPorts(assembly),
    networks: network ? [network.name] : [],
    hostNames,
    stdin: !detach,
  };
  return { spec, files };
}

function gateOf(assembly: Assembly, network: NetworkSpec, sandbox: string): PlannedContainer {
  const ports = assembly.hostPorts.map((_, index) => containerPort(index));
  const forward = ports.map((port) => ({ listen: `:${port}`, to: `${sandbox}:${port}` }));
  const spec: ContainerSpec = {
    name: `request-guard-gate-${assembly.session}`,
    image: assembly.image,
    labels: sandboxLabels(assembly.session, 'gate', assembly.detach),
    env: {},
    ports: publishedPorts(assembly),
    // A closed network cannot publish ports, so the gate starts on the open bridge.
    networks: ['bridge', network.name],
    hostNames: [],
    stdin: !assembly.detach,
  };
  return { spec, files: [runnerFile({ forward, holdStdin: !assembly.detach })] };
}

export function assemblePlan(assembly: Assembly): Plan {
  const { session, name, isolated, notes } = assembly;
  const network = isolated ? { name: `request-guard-${session}`, labels: sandboxLabels(session, name) } : undefined;
  const sandbox = sandboxOf(assembly, network);
  return {
    session,
    sandbox,
    notes,
    ...(network && { isolation: { network, gate: gateOf(assembly, network, sandbox.spec.name) } }),
  };
}

export function planSandbox(input: PlanInput): Plan {
  const { target, image, session, ipv6, isolated, detach, sites } = input;
  const { origin, hostNames } = backendOf(input.upstream);
  return assemblePlan({
    ...{ name: target.name, image, session, ipv6, isolated, detach, hostNames },
    hostPorts: sites.map(({ hostPort }) => hostPort),
    env: variablesOf(input),
    files: filesOf(input, origin),
    notes: notesOf(input),
  });
}
