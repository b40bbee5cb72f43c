/** Containers of a project, as `ps` of each compose tool prints them in JSON. */

export interface ContainerState {
  readonly id: string;
  readonly service: string;
  /** `running`, `exited`, `restarting`, `created`, `paused`, `dead`; in lower case. */
  readonly state: string;
  /** Published ports of this machine. */
  readonly ports: readonly number[];
}

interface Row {
  readonly ID?: string;
  readonly Id?: string;
  readonly Service?: string;
  readonly State?: string;
  readonly Labels?: string | Readonly<Record<string, string>>;
  readonly Publishers?: readonly { readonly PublishedPort?: number }[] | null;
  readonly Ports?: string | readonly { readonly host_port?: number }[] | null;
}

/** Returns the service of a container. Podman prints it only as a label. */
function serviceOf({ Service, Labels }: Row): string {
  if (Service !== undefined) return Service;
  return typeof Labels === 'object' ? (Labels['com.docker.compose.service'] ?? '') : '';
}

function portsOf({ Publishers, Ports }: Row): number[] {
  const docker = Publishers?.map(({ PublishedPort }) => PublishedPort) ?? [];
  const podman = Array.isArray(Ports) ? Ports.map(({ host_port }) => host_port) : [];
  return [...new Set([...docker, ...podman])].filter((port) => port !== undefined && port > 0) as number[];
}

/** Parses one array, or one document per line: the format changed in version 2.21 of Docker's tool. */
function rowsOf(text: string): Row[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (trimmed.startsWith('[')) return JSON.parse(trimmed);
  return trimmed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** Parses the output of `ps` of any tool. @throws SyntaxError for text that is not JSON */
export function parseListing(text: string): ContainerState[] {
  return rowsOf(text).map((row) => ({
    id: row.ID ?? row.Id ?? '',
    service: serviceOf(row),
    state: (row.State ?? '').toLowerCase(),
    ports: portsOf(row),
  }));
}
