/** Reads where event lines are sent with OTLP, from the variables of the OpenTelemetry specification. */
import type { LineExporter } from './exporter.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the OTLP exporter, the more specific one first. */
const variables = ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

export function otlpUrl(env: Environment): string | undefined {
  const [logs, all] = variables.map((name) => env[name]);
  return logs || (all ? `${all.replace(/\/+$/, '')}/v1/logs` : undefined);
}

export interface Sender {
  /** Name of the program, sent as `service.name`. */
  readonly service: string;
  readonly env: Environment;
  /** Receives the first failure and, at the end, the number of lines that were not sent. */
  readonly log: (message: string) => void;
}

/**
 * Returns the exporter for the configured endpoint, or undefined without a usable one.
 * @param closeMs milliseconds for sending the queued lines at the end
 */
export async function openExporter({ service, env, log }: Sender, closeMs?: number): Promise<LineExporter | undefined> {
  const url = otlpUrl(env);
  if (url === undefined) return undefined;
  try {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw new Error('it is not an http or https URL');
    const { createExporter } = await import('./exporter.ts');
    return createExporter({ service, url, log }, closeMs);
  } catch (error) {
    const names = variables.filter((name) => env[name]).join(', ');
    log(`no events are sent by OTLP: ${(error as Error).message}. Correct ${names}, or unset it.`);
    return undefined;
  }
}
