/**
 * What a sandbox session does for tcp-guard: reads its configuration, plans the container and its ports, and runs the
 * probes.
 */
import { randomBytes } from 'node:crypto';
import { newSession } from '../../../containers/labels.ts';
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { loadAny } from '../../../contract/load/any.ts';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import type { Loaded } from '../../../contract/load/problem.ts';
import { ConfigError, UsageError } from '../../../platform/errors.ts';
import { generateDaemon } from '../../generate/daemon.ts';
import { readSource } from '../../input/source.ts';
import { runTcpProbes } from '../../probes/tcp/run.ts';
import type { Context } from '../../program/context.ts';
import { tcpGuard as target } from '../../targets/table.ts';
import { type MountedFiles, readMountedFiles } from '../plan/mounted-files.ts';
import type { HostPorts } from '../plan/plan.ts';
import type { Passed } from '../plan/variables.ts';
import { planTcpGuard, type TcpPlan, tcpGuard } from '../targets/tcp-guard.ts';
import { urlOf } from './result.ts';
import type { Action, PlannedImage, Work } from './work.ts';

export interface TcpOptions {
  readonly daemon: Daemon;
  readonly mounted: MountedFiles;
  readonly action: Action;
  /** Port of the API. The other listeners use the following ports. */
  readonly port: number;
  /** True with `--isolated`. The sandbox for probes is isolated anyway. */
  readonly isolated: boolean;
  readonly passed: Passed;
}

function validValue<T>(loaded: Loaded<T>): T {
  if (!loaded.ok) throw new ConfigError(loaded);
  return loaded.value;
}

async function daemonOf(file: string, context: Context): Promise<Daemon> {
  const { name, bytes } = await readSource(file, context);
  const { format, loaded } = loadAny(bytes, name);
  if (format === 'daemon') return validValue(loaded);
  const policy = validValue(loaded);
  if (policy.tcp === undefined) {
    const hint = 'pass a tcp-guard.yaml, or a policy with a tcp section';
    throw new UsageError(`${name} has no tcp section`, { code: 'no_tcp', hint });
  }
  return validValue(loadDaemon(Buffer.from(generateDaemon(policy)), name));
}

/**
 * Reads the configuration of the daemon, or the tcp section of a policy. Keeps `${NAME}`. @throws UsageError,
 * ConfigError
 */
export async function readDaemon(
  file: string,
  passed: Passed,
  context: Context,
): Promise<Pick<TcpOptions, 'daemon' | 'mounted' | 'passed'>> {
  const daemon = await daemonOf(file, context);
  return { daemon, mounted: await readMountedFiles(daemon, file, passed, context), passed };
}

function checkedPorts(hostPorts: HostPorts): HostPorts {
  const highest = hostPorts.at(-1) ?? 0;
  if (highest > 65_535) {
    const hint = `pass a --port of at most ${65_535 - hostPorts.length + 1}`;
    throw new UsageError(`the services would need ports up to ${highest}`, { code: 'bad_port', hint });
  }
  return hostPorts;
}

function listenerNotes(plan: TcpPlan, port: number): string[] {
  const { services, traps, intakes, decisions, daemon } = plan;
  return [
    `the API: curl -H 'Authorization: Bearer ${daemon.api.auth_token}' ${urlOf(port)}/stats`,
    ...services.map(({ name, config, hostPort }) => `${name} (${config.protocol}): localhost:${hostPort}`),
    ...traps.map(({ listen, hostPort }) => `port_scan ${listen}: localhost:${hostPort}`),
    ...intakes.map(({ source, hostPort }) => `lines for ${source.file}: localhost:${hostPort}`),
    ...(decisions === undefined ? [] : [`decisions: ${urlOf(decisions)}/v1/alerts and /v1/decisions`]),
  ];
}

export function tcpGuardWork(options: TcpOptions): Work<TcpPlan, undefined> {
  const { action, port } = options;
  // The backends of tcp-guard are in the container, so probes need no network.
  const isolated = options.isolated || action === 'test';
  const fixed = { ...options, isolated, token: randomBytes(24).toString('base64url'), session: newSession() };
  const plan = ({ tag: image, lacksNative }: PlannedImage, ipv6: boolean, use: Action): TcpPlan =>
    planTcpGuard({ ...fixed, image, lacksNative, ipv6, isTest: use === 'test', detach: use === 'detach' });
  return {
    ...{ target, action, port, plan, image: tcpGuard },
    onLine: () => {},
    createProbes: () => undefined,
    // The ports do not depend on the image.
    ports: () => checkedPorts(plan({ tag: '' }, true, action).hostPorts),
    // With probes, no user needs the addresses.
    notes: (running) => [...running.plan.notes, ...(action === 'test' ? [] : listenerNotes(running.plan, port))],
    test: ({ plan: running, sandbox: { peer } }, onProgress, { signal, now }) =>
      runTcpProbes({ plan: running, port, token: running.daemon.api.auth_token, peer, signal, now, onProgress }),
  };
}
