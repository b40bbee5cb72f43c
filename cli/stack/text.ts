import { readable } from '../../platform/escape.ts';
import { counted } from '../program/counted.ts';
import type { Paint } from '../program/paint.ts';
import { table } from '../program/table.ts';
import type { DownResult } from './down.ts';
import type { ServiceName, ServiceState } from './services.ts';
import type { ExportResult } from './stack.ts';
import type { StatusResult } from './status.ts';
import type { UpResult } from './up.ts';

const serviceTitles: Readonly<Record<ServiceName, string>> = {
  grafana: 'Grafana',
  loki: 'Loki',
  collector: 'Collector (OTLP over HTTP)',
};

function stateText({ state, isHealthy }: ServiceState, paint: Paint): string {
  if (isHealthy) return paint('green', 'healthy');
  return paint(state === 'absent' ? 'dim' : 'red', state === 'running' ? 'does not respond' : state);
}

function servicesText(services: readonly ServiceState[], paint: Paint): string {
  return table(services.map((one) => [serviceTitles[one.name], one.url, stateText(one, paint)])).join('\n');
}

const passwordText = (password: string, paint: Paint): string =>
  `Log in to Grafana as ${paint('bold', 'admin')} with the password ${paint('bold', password)}`;

export function upText(result: UpResult, paint: Paint): string {
  const { wasRunning, services, dir, logs, adminPassword } = result;
  return [
    paint('bold', wasRunning ? 'The dashboard is already running' : 'The dashboard is running'),
    servicesText(services, paint),
    `  files of the stack  ${readable(dir)}`,
    `  event files         ${readable(logs)}`,
    ...(adminPassword === null
      ? []
      : [`${passwordText(adminPassword, paint)} (shown once; \`guardcli dashboard status --show-password\`)`]),
  ].join('\n');
}

export function statusText(result: StatusResult, paint: Paint): string {
  const { services, isHealthy, adminPassword, secrets, tool, dir } = result;
  const isAbsent = services.every(({ state }) => state === 'absent');
  const head = isAbsent ? 'not running' : isHealthy ? 'running' : 'running in part';
  return [
    `The dashboard is ${paint('bold', head)} (${readable(dir)}, ${readable(tool)})`,
    ...(isAbsent ? [] : [servicesText(services, paint)]),
    ...(isHealthy ? [] : ['`guardcli dashboard up` starts what is absent or does not respond']),
    ...(typeof adminPassword === 'string' ? [passwordText(adminPassword, paint)] : []),
    ...(adminPassword === null ? ['There is no password of Grafana in this folder'] : []),
    ...(secrets ? [`Push to Loki at ${secrets.lokiUrl}/loki/api/v1/push`] : []),
    ...(secrets ? [`Send OTLP with OTEL_EXPORTER_OTLP_HEADERS=${secrets.otlpHeaders}`] : []),
  ].join('\n');
}

export function downText({ wasRunning, removedVolumes }: DownResult): string {
  if (!wasRunning)
    return removedVolumes ? 'the dashboard was not running; its volumes are removed' : 'the dashboard is not running';
  return removedVolumes
    ? 'stopped; containers, network and volumes are removed'
    : 'stopped; the volumes are kept (`guardcli dashboard down --volumes` removes them)';
}

export function exportText({ dir, written, adminPassword }: ExportResult, paint: Paint): string {
  return [
    `${readable(dir)}: ${counted(written.length, 'file')} written`,
    'Start it with `docker compose up --detach` in that folder',
    ...(adminPassword === null ? [] : [`${passwordText(adminPassword, paint)} (in the file admin-password)`]),
  ].join('\n');
}

export function keptNote({ kept }: { readonly kept: readonly string[] }, paint: Paint): string {
  if (kept.length === 0) return '';
  const names = kept.map((path) => `  ${readable(path)}`).join('\n');
  return `${paint('yellow', 'warning:')} kept, because you changed them (--force overwrites them):\n${names}`;
}
