/** Passive mode of one FTP control connection: at most one data port waits for its client. */
import { parseAddress } from '../../contract/values/address.ts';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import { type Client, clientOfPeer } from '../address/client.ts';
import type { Served } from '../admission/admission.ts';
import type { PassiveRules } from '../admission/rules.ts';
import type { DataPorts, OpenedPort } from '../ftp-data/data-ports.ts';
import type { DataEndpoint, DataPort } from '../inspectors/inspector.ts';
import type { Connection } from '../plane/plane.ts';

export interface DataConnection<C extends Connection> {
  readonly client: Client;
  /** The service and the rules of the control connection, with the announced endpoint as the upstream. */
  readonly served: Served;
  readonly facts: Readonly<Record<string, string>>;
  /** Claims the port for the connection, and closes the port. Returns false when it was already closed. */
  readonly claim: (connection: C) => boolean;
}

export interface PassiveOptions<C extends Connection> {
  readonly control: Served & { readonly connection: Connection; readonly client: Client };
  readonly rules: PassiveRules;
  readonly ports: Pick<DataPorts<C>, 'open'>;
  readonly reserveDescriptor: (cut: () => void) => () => void;
  readonly accept: (connection: C, data: DataConnection<C>) => void;
}

const refusedPort = (why: string): DataPort => ({ ok: false, why });
const wildcards = { 4: '0.0.0.0', 6: '::' } as const;

export class Passive<C extends Connection> {
  readonly #options: PassiveOptions<C>;
  #openedPort: OpenedPort | undefined;
  /** The address of the control connection's upstream. Undefined before the relay starts, and when it is unknown. */
  #upstream: string | undefined;
  #activeCount = 0;
  #endedAt = 0;

  constructor(options: PassiveOptions<C>) {
    this.#options = options;
  }

  /** When a data connection was last open. The control connection is silent during a transfer. */
  readonly activeAt = (): number => (this.#activeCount > 0 ? performance.now() : this.#endedAt);

  setUpstream({ remote }: Connection): void {
    this.#upstream = parseAddress(remote.ip) && clientOfPeer(remote).ip;
  }

  /** Opens a data port that relays to the announced endpoint. Closes the port that was opened before. */
  readonly open = (announced: DataEndpoint): DataPort => {
    this.close();
    const { control, rules } = this.#options;
    const host = this.#upstream;
    if (host === undefined) return refusedPort('unexpected_reply');
    const local = clientOfPeer(control.connection.local);
    const shown = rules.address ?? local.ip;
    if (announced.host !== undefined) {
      if (announced.host !== host) return refusedPort('foreign_host');
      const isIpv4 = control.client.address.family === 4 && !shown.includes(':');
      if (!isIpv4) return refusedPort('no_ipv4_address');
    }
    const opened = this.#open(local, { host, port: announced.port });
    this.#openedPort = opened;
    return opened.ok ? { ok: true, host: shown, port: opened.port } : opened;
  };

  #open(local: Client, upstream: Endpoint): OpenedPort {
    const { control, rules, ports, reserveDescriptor, accept } = this.#options;
    let release: (() => void) | undefined;
    let isAwaited = true;
    const opened = ports.open({
      host: control.service.listen.host === '' ? wildcards[local.address.family] : local.ip,
      ports: rules.ports,
      key: control.client.key,
      accept: (connection) => accept(connection, dataConnection),
      closed: () => {
        isAwaited = false;
        release?.();
      },
    });
    if (!opened.ok) return opened;
    release = reserveDescriptor(opened.close);
    const claim = (connection: C) => {
      if (!isAwaited) return false;
      opened.close();
      this.#countConnection(connection);
      return true;
    };
    const { client, service, rules: serviceRules, counts } = control;
    const dataConnection = {
      client,
      served: { service: { ...service, upstream }, rules: serviceRules, counts, isData: true },
      facts: { connection: 'data', control_port: `${client.port}`, data_port: `${opened.port}` },
      claim,
    } as const;
    return opened;
  }

  #countConnection(connection: C): void {
    this.#activeCount += 1;
    connection.onGone(() => {
      this.#activeCount -= 1;
      this.#endedAt = performance.now();
    });
  }

  close(): void {
    if (this.#openedPort?.ok) this.#openedPort.close();
    this.#openedPort = undefined;
  }
}
