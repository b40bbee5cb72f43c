import type { ContainerSpec, PublishedPort } from './containers.ts';
import { hardening } from './hardening.ts';

/** Docker's name for the address of its machine. */
const runtimeMachine = 'host-gateway';

const portKey = ({ containerPort }: PublishedPort): string => `${containerPort}/tcp`;

function portBindings(ports: readonly PublishedPort[]): Record<string, { HostIp: string; HostPort: string }[]> {
  const grouped = Object.entries(Object.groupBy(ports, portKey));
  const binding = ({ hostAddress, hostPort }: PublishedPort) => ({ HostIp: hostAddress, HostPort: String(hostPort) });
  return Object.fromEntries(grouped.map(([key, list = []]) => [key, list.map(binding)]));
}

export function createOptions(spec: ContainerSpec) {
  const [network] = spec.networks;
  return {
    name: spec.name,
    Image: spec.image,
    Labels: { ...spec.labels },
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    User: hardening.user,
    ExposedPorts: Object.fromEntries(spec.ports.map((port) => [portKey(port), {}])),
    OpenStdin: spec.stdin,
    StdinOnce: spec.stdin,
    HostConfig: {
      AutoRemove: true,
      PortBindings: portBindings(spec.ports),
      ReadonlyRootfs: hardening.readOnlyRoot,
      CapDrop: [...hardening.dropCapabilities],
      SecurityOpt: [...hardening.securityOptions],
      Memory: hardening.memoryBytes,
      MemorySwap: hardening.memoryBytes,
      PidsLimit: hardening.processes,
      IpcMode: hardening.ipc,
      Tmpfs: { ...hardening.tmpfs },
      LogConfig: { Type: hardening.log.driver, Config: { ...hardening.log.options } },
      ExtraHosts: spec.hostNames.map((name) => `${name}:${runtimeMachine}`),
      ...(network !== undefined && { NetworkMode: network }),
    },
  };
}
