/**
 * Places for logins that servers judge at a time. A client gets some for all of its connections, and fewer when a login
 * of it has failed: otherwise the server would judge a burst of guesses before the client is banned.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type Entry, LinkedList } from '../../platform/linked-list.ts';
import type { Client } from '../address/client.ts';

export interface LoginRequest {
  readonly client: Client;
  readonly service: string;
  readonly user: string | undefined;
  /** The largest number of logins of a failing client that are judged at a time. */
  readonly most: number;
  /** For how long a failure of the client counts, milliseconds. */
  readonly windowMs: number;
}

export type LoginOutcome = 'success' | 'failure';

/** Gives the place back, or ends the wait for one. Later calls have no effect. */
export type EndLogin = (outcome?: LoginOutcome) => void;

export interface Places {
  /** Calls `granted` when the server may judge the login: before it returns, later, or never. */
  readonly request: (login: LoginRequest, granted: () => void) => EndLogin;
  /** Whether a login of the client has failed within `windowMs`. */
  readonly isFailing: (client: Client, windowMs: number) => boolean;
}

interface PlaceOptions extends Pick<Places, 'isFailing'> {
  readonly isBanned: (ip: string) => boolean;
}

interface Waiting {
  readonly login: LoginRequest;
  readonly grant: () => void;
}

/** The logins of one client. */
interface ClientLogins {
  judged: number;
  readonly waiting: LinkedList<Waiting>;
}

const userKey = ({ client, service, user }: LoginRequest): string => `${client.key} ${service} ${user}`;

export class LoginPlaces implements Places {
  readonly #options: PlaceOptions;
  /** Clients with a login that is judged or waits. */
  readonly #clients = new Map<string, ClientLogins>();
  /** Users that clients have logged in as, oldest first. Further logins of these users need no place. */
  readonly #acceptedUsers = new Set<string>();

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  /** The number of clients with a login that is judged or waits. */
  get size(): number {
    return this.#clients.size;
  }

  readonly request: Places['request'] = (login, granted) => {
    if (this.#isAccepted(login)) {
      granted();
      return once((outcome) => this.#learn(login, outcome));
    }
    const logins = this.#loginsOf(login.client.key);
    if (logins.waiting.size === 0 && this.#isFree(logins, login)) {
      granted();
      return this.claim(login);
    }
    return this.#wait(logins, login, granted);
  };

  /** Counts a login that is judged already. */
  claim(login: LoginRequest): EndLogin {
    this.#loginsOf(login.client.key).judged += 1;
    return once((outcome) => this.#leave(login, outcome));
  }

  #loginsOf(key: string): ClientLogins {
    const logins = this.#clients.get(key) ?? { judged: 0, waiting: new LinkedList<Waiting>() };
    this.#clients.set(key, logins);
    return logins;
  }

  get isFailing(): Places['isFailing'] {
    return this.#options.isFailing;
  }

  #isAccepted(login: LoginRequest): boolean {
    return login.user !== undefined && this.#acceptedUsers.has(userKey(login));
  }

  #isFree({ judged }: ClientLogins, login: LoginRequest): boolean {
    const { client, most, windowMs } = login;
    if (this.#options.isBanned(client.ip)) return false;
    if (judged < most || this.#isAccepted(login)) return true;
    return judged < daemonBounds.firstJudgedLogins && !this.isFailing(client, windowMs);
  }

  #wait({ waiting }: ClientLogins, login: LoginRequest, granted: () => void): EndLogin {
    let end: EndLogin | undefined;
    const grant = () => {
      end = this.claim(login);
      granted();
    };
    const entry: Entry<Waiting> = waiting.add({ login, grant });
    return once((outcome) => {
      if (end) return end(outcome);
      waiting.remove(entry);
      this.#forget(login.client.key);
    });
  }

  #leave(login: LoginRequest, outcome: LoginOutcome | undefined): void {
    const { key } = login.client;
    const logins = this.#loginsOf(key);
    logins.judged -= 1;
    this.#learn(login, outcome);
    let entry = logins.waiting.first;
    while (entry?.value && this.#isFree(logins, entry.value.login)) {
      const { grant } = entry.value;
      logins.waiting.remove(entry);
      grant();
      entry = logins.waiting.first;
    }
    this.#forget(key);
  }

  #forget(key: string): void {
    const logins = this.#clients.get(key);
    if (logins && logins.judged === 0 && logins.waiting.size === 0) this.#clients.delete(key);
  }

  /** A success exempts the user, and a failure ends that: a guess at a known name is still a guess. */
  #learn(login: LoginRequest, outcome: LoginOutcome | undefined): void {
    if (login.user === undefined || outcome === undefined) return;
    const key = userKey(login);
    this.#acceptedUsers.delete(key);
    if (outcome === 'failure') return;
    const [oldest] = this.#acceptedUsers;
    if (this.#acceptedUsers.size >= daemonBounds.acceptedUsers && oldest !== undefined)
      this.#acceptedUsers.delete(oldest);
    this.#acceptedUsers.add(key);
  }
}

/** A function that calls `end` at its first call only. */
export function once(end: EndLogin): EndLogin {
  let hasEnded = false;
  return (outcome) => {
    if (hasEnded) return;
    hasEnded = true;
    end(outcome);
  };
}
