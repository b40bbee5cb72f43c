/** The `tcp` section of a policy as manifests for Kubernetes. */
import { dirname } from 'node:path';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { globalSection } from '../../contract/daemon/sections.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { parseListen } from '../../contract/values/endpoint.ts';
import { containerImage } from '../../platform/assets.ts';
import { configMap, manifestText } from './config-map.ts';
import { daemonOf, generateDaemon } from './daemon.ts';

const name = 'tcp-guard';
const labels = { 'app.kubernetes.io/name': name };
const configFile = { folder: '/etc/guard', file: 'tcp-guard.yaml' };

/** User and group id of tcp-guard in its image. */
const userId = 65_532;
/** One pod accepts connections while the other restarts. */
const replicas = 2;
/** Seconds that the process has after the end of `global.drain` to exit, before Kubernetes kills it. */
const exitSeconds = 5;
/** Memory limit of one process. An idle one uses 70 MiB. */
const processMiB = 256;
/** Open connections of one address, unless the policy has a limit. Without one, an address could take all. */
const mostPerAddress = 256;
/** Linux lets only privileged processes bind lower ports. */
const firstFreePort = 1024;

/** A pod has no logrotate. The node rotates standard output. */
const auditFile = '/dev/stdout';

const notes = [
  'tcp-guard in Kubernetes: its configuration, pods, a Service and a budget for disruptions.',
  '',
  'The pods see the addresses of the clients, because the Service has externalTrafficPolicy: Local. If your load balancer',
  'replaces these addresses, let it send PROXY headers and list it in proxy_protocol.accept_from. Otherwise a ban of one',
  'client is a ban of all, and max_connections_per_ip limits all of them together.',
  '',
  'Each pod has its bans on a volume. ClientIP affinity sends a client to the same pod. To share bans, set threatfeed.',
  `The Secret ${name}, if there is one, has the variables that the configuration names as \${NAME}.`,
  'The Service has the ports of services only: add those of port_scan and of ftp.passive. Mount other files that the',
  'configuration names, such as policies and geoip_db.',
  '',
  `After a change of the ConfigMap: kubectl rollout restart statefulset/${name}`,
] as const;

function portsOf({ services }: Daemon): number[] {
  const listens = Object.values(services).flatMap(({ enabled, listen }) => (enabled ? [parseListen(listen)] : []));
  const ports = new Set(listens.flatMap((endpoint) => (endpoint && endpoint.port > 0 ? [endpoint.port] : [])));
  return [...ports];
}

/** Returns where to request the health of the daemon. Undefined when the daemon has no API. */
function healthTarget({ api }: Daemon): object | undefined {
  const path = '/health';
  const endpoint = parseListen(api.listen);
  const [host = 'localhost'] = api.allowed_hosts;
  if (endpoint) return { host: '127.0.0.1', port: endpoint.port, path, headers: { host } };
  return api.socket === '' ? undefined : { socketPath: api.socket, path };
}

/**
 * Returns the probes of a pod. By default the API listens only on the loopback address of the container, so Node in the
 * container sends the requests.
 */
function probesOf(daemon: Daemon): object {
  const target = healthTarget(daemon);
  if (!target) return {};
  const script = `require('http').get(${JSON.stringify(target)}, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))`;
  const exec = { command: ['node', '-e', script] };
  return {
    startupProbe: { exec, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 30 },
    readinessProbe: { exec, periodSeconds: 10, timeoutSeconds: 5 },
    livenessProbe: { exec, periodSeconds: 20, timeoutSeconds: 5 },
  };
}

const unprivilegedPorts = (ports: readonly number[]): object =>
  ports.some((port) => port < firstFreePort)
    ? { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }] }
    : {};

/**
 * Returns the resources of a pod. With `workers: 0` there is no memory limit: the daemon then starts one process per
 * core of the node, and the number of cores is unknown here.
 */
function resourcesOf({ global: { workers, data_plane } }: Daemon): object {
  const requests = { cpu: '100m', memory: '128Mi' };
  const processes = workers === 1 && data_plane !== 'auto' ? 1 : workers + 1;
  return workers === 0 ? { requests } : { requests, limits: { memory: `${processes * processMiB}Mi` } };
}

/** Returns the folders that the daemon writes to, by the name of their volume. The data folder is not among them. */
function scratchFolders({ global, api }: Daemon): Record<string, string> {
  const folders = { tmp: '/tmp', log: dirname(global.log_file), run: dirname(api.socket) };
  const isWritten = (folder: string): boolean => folder !== '.' && folder !== '/' && folder !== dirname(auditFile);
  return Object.fromEntries(Object.entries(folders).filter(([, folder]) => isWritten(folder)));
}

function containerOf(daemon: Daemon, ports: readonly number[]): object {
  const mounts = { ...scratchFolders(daemon), data: daemon.global.data_dir };
  return {
    name,
    image: containerImage(),
    ports: ports.map((port) => ({ name: `port-${port}`, containerPort: port })),
    envFrom: [{ secretRef: { name, optional: true } }],
    ...probesOf(daemon),
    resources: resourcesOf(daemon),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'config', mountPath: configFile.folder, readOnly: true },
      ...Object.entries(mounts).map(([volume, mountPath]) => ({ name: volume, mountPath })),
    ],
  };
}

function statefulSetOf(daemon: Daemon, ports: readonly number[]): object {
  const drainMs = parseDuration(daemon.global.drain) ?? 0;
  const template = {
    metadata: { labels },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: Math.ceil(drainMs / 1000) + exitSeconds,
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: userId, runAsGroup: userId, fsGroup: userId },
        seccompProfile: { type: 'RuntimeDefault' },
        ...unprivilegedPorts(ports),
      },
      containers: [containerOf(daemon, ports)],
      volumes: [
        { name: 'config', configMap: { name } },
        ...Object.keys(scratchFolders(daemon)).map((volume) => ({ name: volume, emptyDir: {} })),
      ],
    },
  };
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, labels },
    spec: {
      ...{ serviceName: name, replicas, podManagementPolicy: 'Parallel', selector: { matchLabels: labels } },
      template,
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
    },
  };
}

/** Returns the Service of the ports, or none without ports: Kubernetes refuses such a Service. */
function servicesOf(ports: readonly number[]): object[] {
  if (ports.length === 0) return [];
  const spec = {
    ...{ type: 'LoadBalancer', externalTrafficPolicy: 'Local', sessionAffinity: 'ClientIP', selector: labels },
    ports: ports.map((port) => ({ name: `port-${port}`, port, targetPort: port })),
  };
  return [{ apiVersion: 'v1', kind: 'Service', metadata: { name, labels }, spec }];
}

const disruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, labels },
  spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
};

/**
 * Returns the policy with what differs in a pod. Values of the user other than the defaults stay: audit records are
 * written to standard output, one address cannot take all connections, and the data plane is the fast one, because the
 * image brings the Node of the tests.
 */
function inPodOf({ tcp, ...policy }: Policy): Policy {
  const { log_file } = daemonOf(tcp).global;
  const isDefault = log_file === globalSection().parse({}).log_file;
  const changed = {
    ...(isDefault && { log_file: auditFile }),
    ...(tcp?.global?.data_plane === undefined && { data_plane: 'auto' as const }),
    ...(tcp?.global?.max_connections_per_ip === undefined && { max_connections_per_ip: mostPerAddress }),
  };
  return { ...policy, tcp: { ...tcp, global: { ...tcp?.global, ...changed } } };
}

export function generateDaemonKubernetes(policy: Policy): string {
  const inPod = inPodOf(policy);
  const daemon = daemonOf(inPod.tcp);
  const ports = portsOf(daemon);
  const file = { map: name, file: configFile.file, text: generateDaemon(inPod) };
  return manifestText(notes, [configMap(file), statefulSetOf(daemon, ports), ...servicesOf(ports), disruptionBudget]);
}
