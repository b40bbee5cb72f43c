/** Counts requests of logs, in bounded memory. */
import type { Verdict } from '../../engine/index.ts';
import { ApplicationMarks } from '../../logs/access/applications.ts';
import { isSuccess, type LoggedRequest } from '../../logs/access/request.ts';
import { replayBounds } from '../counting/bounds.ts';
import { Counter, type Entry, startOf } from '../counting/counter.ts';
import { Distinct, hashOf } from '../counting/distinct.ts';
import { AnsweredRequests } from './answered.ts';
import type { BlockedRequest, RequestRow, RuleRow, SuspectRow } from './result.ts';
import { isSameSite, siteOf } from './site.ts';

const startOrNull = (text: string | null): string | null => (text === null ? null : startOf(text));

class RuleTally {
  answered = 0;
  readonly clients = new Distinct(replayBounds.ruleClients);
  readonly requests = new Counter(replayBounds.ruleRequests, (): { row?: Omit<RequestRow, 'count'> } => ({}));
}

class SuspectTally {
  row: (Omit<SuspectRow, 'count' | 'clients' | 'clientsExact'> & { readonly site: string }) | undefined;
  readonly clients = new Distinct(replayBounds.suspectClients);
}

const pathOf = (target: string): string => {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
};

export class ReplayTally {
  #allowed = 0;
  #blocked = 0;
  readonly #reasons = new Counter();
  readonly #rules = new Counter(undefined, () => new RuleTally());
  readonly #suspects = new Counter(replayBounds.suspects, () => new SuspectTally());
  readonly #clients = new Counter(replayBounds.clients);
  readonly #sites = new Counter(replayBounds.sites);
  /** The most frequent site so far. */
  #mostSite: Entry<undefined> | undefined;
  readonly #answered = new AnsweredRequests();
  readonly applications = new ApplicationMarks();

  /**
   * For a line without a host: counts the site of the referrer if the request succeeded, and returns the most frequent
   * site so far. Returns undefined for a line with a host, and before the first site.
   */
  assumedHost({ host, status, referrer }: LoggedRequest): string | undefined {
    if (host !== undefined) return undefined;
    const site = referrer === undefined || !isSuccess(status) ? undefined : siteOf(referrer);
    if (site !== undefined) {
      const entry = this.#sites.add(startOf(site));
      if (entry.count > (this.#mostSite?.count ?? 0)) this.#mostSite = entry;
    }
    return this.#mostSite?.key;
  }

  add(logged: LoggedRequest, { verdict, reason }: Verdict): void {
    const { method, host, target, address, status, referrer } = logged;
    if (verdict === 'allowed') this.#allowed += 1;
    else this.#blocked += 1;
    this.#reasons.add(reason);
    this.applications.add(logged);
    if (address === undefined) return;
    this.#clients.add(startOf(address));
    const site = siteOf(referrer);
    // A visitor who follows a link of the site is not a scanner.
    const isLinked = site !== undefined && (host === undefined || isSameSite(host, site));
    if (verdict === 'blocked' && !isLinked) this.#answered.mark(address);
    if (isSuccess(status)) this.#answered.add(address, { method, host, path: pathOf(target) });
  }

  addBlocked(blocked: BlockedRequest): void {
    const { rule, reason, request } = blocked;
    const { method, host, target, address, status } = request;
    const name = rule ?? reason;
    const { value: tally } = this.#rules.add(name);
    if (address !== null) tally.clients.add(hashOf(address));
    const { value } = tally.requests.add(startOf(`${method} ${host ?? ''} ${target}`));
    value.row ??= {
      ...{ method: startOf(method), host: startOrNull(host), target: startOf(target), address: startOrNull(address) },
    };
    if (!isSuccess(status ?? 0)) return;
    tally.answered += 1;
    this.#addSuspect(blocked, name);
  }

  #addSuspect({ file, line, request }: BlockedRequest, rule: string): void {
    const { method, host, target, address, referrer } = request;
    const site = siteOf(referrer ?? undefined);
    if (site === undefined || (host !== null && !isSameSite(host, site))) return;
    const path = pathOf(target);
    const { value } = this.#suspects.add(`${rule} ${startOf(`${host ?? site} ${path}`)}`);
    if (address !== null) value.clients.add(hashOf(address));
    if (value.row) return;
    const cut = { method: startOf(method), host: startOrNull(host) };
    const from = { target: startOf(target), address: startOrNull(address), referrer: startOrNull(referrer) };
    const example = { file, line, request: { ...cut, ...from, status: request.status } };
    value.row = { rule, ...cut, path: startOf(path), site, example };
  }

  /** Returns the addresses of clients, the most frequent one first. */
  frequentClients(): string[] {
    return this.#clients.sorted().map(({ key }) => key);
  }

  #ruleRows(): RuleRow[] {
    return this.#rules.sorted().map(({ key, count, value: { answered, clients, requests } }) => ({
      ...{ name: key, count, answered, clients: clients.count, clientsExact: clients.isExact },
      requests: requests
        .sorted()
        .slice(0, replayBounds.shownRequests)
        .flatMap(({ value: { row }, count }) => (row ? [{ ...row, count }] : [])),
    }));
  }

  #suspectRows(site: string | null): SuspectRow[] {
    return this.#suspects
      .sorted()
      .flatMap(({ count, value: { row, clients } }) => {
        if (!row || (row.host === null && !(site !== null && isSameSite(site, row.site)))) return [];
        const { site: _site, ...shown } = row;
        return [{ ...shown, count, clients: clients.count, clientsExact: clients.isExact }];
      })
      .sort((one, other) => other.clients - one.clients);
  }

  result() {
    const site = this.#mostSite?.key ?? null;
    const suspects = this.#suspectRows(site);
    return {
      requests: this.#allowed + this.#blocked,
      verdicts: { allowed: this.#allowed, blocked: this.#blocked },
      reasons: this.#reasons.counts(),
      rules: this.#ruleRows(),
      suspects: {
        rows: suspects.slice(0, replayBounds.shownSuspects),
        total: suspects.length,
        exact: this.#suspects.isExact,
        site,
      },
      answered: this.#answered.result(),
    };
  }
}
