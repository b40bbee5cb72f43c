import type { ContainerState } from '../../compose/listing.ts';
import { lokiUrlOf, type PortName, type Settings, urlOf } from './settings.ts';

interface Row {
  /** URL that responds with success when the service is ready. */
  readonly probe: (settings: Settings) => string;
  readonly ports: readonly PortName[];
  /** Port whose URL is shown to the user. */
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

/** A ready service responds in milliseconds, on a busy machine in seconds. */
const probeTimeoutMs = 10_000;

export async function isReady(name: ServiceName, settings: Settings, signal?: AbortSignal): Promise<boolean> {
  const patience = AbortSignal.timeout(probeTimeoutMs);
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
  /** State that the container runtime reports, such as `running`. `absent` without a container. */
  readonly state: string;
  readonly isHealthy: boolean;
  readonly url: string;
}

/** A healthy service has a running container and responds to its probe. */
export function statesOf(containers: readonly ContainerState[], settings: Settings): Promise<ServiceState[]> {
  return Promise.all(
    serviceNames.map(async (name) => {
      const state = containers.find(({ service }) => service === name)?.state ?? 'absent';
      const isHealthy = state === 'running' && (await isReady(name, settings));
      return { name, state, isHealthy, url: urlOf(settings, services[name].url) };
    }),
  );
}
