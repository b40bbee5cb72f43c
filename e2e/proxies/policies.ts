/** One container with many policies, each on a separate port. */
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { ownBans, sandboxBans } from '../../cli/probes/bans.ts';
import { createEventLog, type EventLog } from '../../cli/probes/events.ts';
import type { ProbeSet } from '../../cli/probes/probe-set.ts';
import { openConnection, type RawConnection, type Server } from '../../cli/probes/raw-client.ts';
import type { ProbeReport } from '../../cli/probes/report.ts';
import { createEventPace, runProbes } from '../../cli/probes/run.ts';
import { createSetting, type Setting } from '../../cli/probes/setting.ts';
import { containerPort, type PlanInput, planSandbox } from '../../cli/sandbox/plan/plan.ts';
import { launch } from '../../cli/sandbox/session/lifecycle.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { HttpVersion } from '../../engine/hosts/received.ts';
import { docker, freePorts } from '../support/guardcli.ts';
import { isTraefikCompiled, sandboxImage, sandboxOf, type TestedProxy } from '../support/sandbox-image.ts';

/** Returns whether a proxy refuses a policy: the plugin of Traefik inspects no headers and bodies for exploits. */
export const refuses = ({ name }: TestedProxy, { exploits }: Policy): boolean =>
  name === 'traefik' && !isTraefikCompiled && exploits === 'all';

export interface Served {
  /** Port of the site on loopback. */
  readonly port: number;
  readonly policy: Policy;
  readonly setting: Setting;
  /** Events by request number. */
  readonly events: EventLog;
  readonly send: (probeSet: ProbeSet) => Promise<ProbeReport>;
  /** Address of the site in its container. HTTP/3 needs it, because ports are published only for TCP. */
  readonly direct: Server;
  readonly over: (version: HttpVersion, open: (server: Server) => RawConnection) => Served;
}

/** Returns the client address of this machine in a sandbox without isolation. */
export async function bridgeGateway(): Promise<string> {
  const format = '{{(index .IPAM.Config 0).Gateway}}|{{(index .IPAM.Config 0).Subnet}}';
  const [gateway, subnet = ''] = (await docker('network', 'inspect', 'bridge', '--format', format)).split('|');
  // Docker 20.10 may not report the gateway, which is the first address of the network.
  const [a, b, c, d] = subnet.split(/[./]/);
  return gateway || `${a}.${b}.${c}.${Number(d) + 1}`;
}

export async function serve(
  t: Pick<TestContext, 'after'>,
  target: TestedProxy,
  policies: readonly Policy[],
  options: Partial<Pick<PlanInput, 'isolated' | 'upstream' | 'stubs'>> & { readonly bans?: Buffer } = {},
): Promise<readonly Served[]> {
  const { signal } = new AbortController();
  const [model, proxy] = await Promise.all([target.loadHost(), sandboxOf(target)]);
  const { containers, image } = await sandboxImage(proxy);
  const ports = await freePorts(policies.length);
  const sites = policies.map((policy, index) => ({ policy, hostPort: ports[index] as number }));
  const session = `e2e${randomBytes(6).toString('hex')}`;
  // Each published port takes about 80 ms, so ports are published on 127.0.0.1 only.
  const held = { ipv6: false, isolated: false, stubs: false, ...options, detach: false, passed: {} };
  const bans = options.bans ? sandboxBans(options.bans) : ownBans(true, Date.now());
  const plan = planSandbox({ target: proxy, sites, image, session, ...held, bans: bans.file });
  const events = createEventLog();
  const sandbox = await launch(plan, containers, events.onLine, signal);
  t.after(sandbox.stop);
  // The events of all policies arrive in one stream.
  let next = 0;
  const numbered = (probeSet: ProbeSet): number => {
    const first = next;
    next += requestsOf(probeSet) + 1; // one more for the request that marks the end of a set
    return first;
  };
  const pace = createEventPace(Date.now);
  const inside = await addressOf(plan.sandbox.spec.name);
  return sites.map(({ policy, hostPort: port }, index) => {
    const served = (address: Server, version: HttpVersion, open = openConnection): Served => {
      const setting = createSetting({ policy, model, host: `localhost:${port}`, peer: sandbox.peer, version, bans });
      const send = (probeSet: ProbeSet): Promise<ProbeReport> =>
        runProbes({
          ...{ setting, probeSet, events, pace, signal, address, open, echoes: true },
          firstIndex: numbered(probeSet),
          now: Date.now,
          onProgress: () => {},
        });
      const direct = { host: inside, port: containerPort(index) };
      return { port, policy, setting, events, send, direct, over: (other, opened) => served(direct, other, opened) };
    };
    return served({ host: '127.0.0.1', port }, '1.1');
  });
}

const addressOf = (container: string): Promise<string> =>
  docker('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}', container).then(
    (text) => text.trim().split(' ')[0] ?? '',
  );

const requestsOf = ({ probes }: ProbeSet): number => probes.reduce((sum, { requests }) => sum + requests.length, 0);
