/** The services of the stack: their published ports, and how each one says that it is ready. */
import type { ContainerState } from '../../../compose/compose.ts';
import { type PortName, type Settings, urlOf } from './settings.ts';

interface Row {
  /** The port that responds to a probe, and its path. */
  readonly probe: readonly [port: PortName, path: string];
  readonly ports: readonly PortName[];
  /** The port that a user needs. */
  readonly url: PortName;
}

export const services = {
  grafana: { probe: ['grafana', '/api/health'], ports: ['grafana'], url: 'grafana' },
  loki: { probe: ['loki', '/ready'], ports: ['loki'], url: 'loki' },
  collector: { probe: ['collectorHealth', '/'], ports: ['otlpGrpc', 'otlpHttp', 'collectorHealth'], url: 'otlpHttp' },
} as const satisfies Record<string, Row>;

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as ServiceName[];

/** For one probe: a service that is ready responds in milliseconds, and on a busy machine in seconds. */
const probeMs = 10_000;

export async function isReady(name: ServiceName, settings: Settings, signal?: AbortSignal): Promise<boolean> {
  const [port, path] = services[name].probe;
  const patience = AbortSignal.timeout(probeMs);
  try {
    const response = await fetch(`${urlOf(settings, port)}${path}`, {
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

export interface ServiceState {
  readonly name: ServiceName;
  /** As the container runtime reports it; `absent` without a container. */
  readonly state: string;
  readonly isHealthy: boolean;
  readonly url: string;
}

/** The state of every service: of its container, and whether it responds. */
export function statesOf(containers: readonly ContainerState[], settings: Settings): Promise<ServiceState[]> {
  return Promise.all(
    serviceNames.map(async (name) => {
      const state = containers.find(({ service }) => service === name)?.state ?? 'absent';
      const isHealthy = state === 'running' && (await isReady(name, settings));
      return { name, state, isHealthy, url: urlOf(settings, services[name].url) };
    }),
  );
}
