/**
 * The places of a worker. The coordinator has those of clients whose logins fail, and of clients with several logins at
 * a time. A single login of another client needs no place: the worker reports it when that changes.
 */
import { type EndLogin, type LoginRequest, once, type Places } from '../../logins/places.ts';
import type { Link } from '../link/link.ts';
import type { FromWorker } from '../link/messages.ts';
import type { FailingClients } from './failing-clients.ts';

interface RemotePlaceOptions {
  readonly link: Pick<Link<FromWorker>, 'post'>;
  readonly failing: Pick<FailingClients, 'has'>;
}

/** A login that is judged and that the coordinator may not know. `number`: of the claim, after the worker made it. */
interface OpenLogin {
  readonly login: LoginRequest;
  number: number | undefined;
}

export class RemotePlaces implements Places {
  readonly #options: RemotePlaceOptions;
  /** The open logins that began without a place, by the key of the client. */
  readonly #open = new Map<string, Set<OpenLogin>>();
  readonly #waiting = new Map<number, () => void>();
  #last = 0;

  constructor(options: RemotePlaceOptions) {
    this.#options = options;
  }

  readonly request: Places['request'] = (login, granted) => {
    const { client, windowMs } = login;
    if (this.isFailing(client, windowMs) || this.#open.has(client.key)) {
      this.report(client.key);
      return this.#ask(login, granted);
    }
    granted();
    return this.#enter(login);
  };

  readonly isFailing: Places['isFailing'] = ({ key }, windowMs) => this.#options.failing.has(key, windowMs);

  #ask(login: LoginRequest, granted: () => void): EndLogin {
    const number = this.#post(login, false);
    this.#waiting.set(number, granted);
    return once((outcome) => {
      this.#waiting.delete(number);
      this.#end(number, outcome);
    });
  }

  #enter(login: LoginRequest): EndLogin {
    const { key } = login.client;
    const logins = this.#open.get(key) ?? new Set();
    const entry: OpenLogin = { login, number: undefined };
    this.#open.set(key, logins.add(entry));
    return once((outcome) => {
      if (entry.number !== undefined) this.#end(entry.number, outcome);
      logins.delete(entry);
      if (logins.size === 0) this.#open.delete(key);
    });
  }

  /** Reports the open logins of a client, which occupy places from now on. Call it when the client fails. */
  report(key: string): void {
    for (const entry of this.#open.get(key) ?? []) entry.number ??= this.#post(entry.login, true);
  }

  /** Handles the coordinator's grant of a place. */
  granted(number: number): void {
    const granted = this.#waiting.get(number);
    this.#waiting.delete(number);
    granted?.();
  }

  #post({ client, service, user, most, windowMs }: LoginRequest, isJudged: boolean): number {
    const number = ++this.#last;
    const { ip, port } = client;
    const named = user !== undefined && { user };
    this.#options.link.post({ kind: 'login', number, ip, port, service, most, windowMs, isJudged, ...named });
    return number;
  }

  #end(number: number, outcome: Parameters<EndLogin>[0]): void {
    this.#options.link.post({ kind: 'login_ended', number, ...(outcome && { outcome }) });
  }
}
