/** The services of the stack: their published ports, and how each one says that it is ready. */
import type { ContainerState } from '../../../compose/compose.ts';
import { lokiUrlOf, type PortName, type Settings, urlOf } from './settings.ts';

interface Row {
  /** Responds when the service is ready. */
  readonly probe: (settings: Settings) => string;
  readonly ports: readonly PortName[];
  /** The port that a user needs. */
  readonly url: PortName;
}

export const services = {
  grafana: { probe: (settings) => `${urlOf(settings, 'grafana')}/api/health`, ports: ['grafana'], url: 'grafana' },
  loki: { probe: (settings) => `${lokiUrlOf(settings)}/ready`, ports: ['loki'], url: 'loki' },
  collector: {
    probe: (settings) => urlOf(settings, 'collectorHealth'),
    ports: ['otlpGrpc', 'otlpHttp', 'collectorHealth'],
    url: 'otlpHttp',
  },
} as const satisfies Record<string, Row>;

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as ServiceName[];

/** For one probe: a service that is ready responds in milliseconds, and on a busy machine in seconds. */
const probeMs = 10_000;

export async function isReady(name: ServiceName, settings: Settings, signal?: AbortSignal): Promise<boolean> {
  const patience = AbortSignal.timeout(probeMs);
  try {
    const response = await fetch(services[name].probe(settings), {
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
