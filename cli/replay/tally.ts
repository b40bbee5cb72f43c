/** Counts requests of logs, in bounded memory. */
import type { Verdict } from '../../engine/index.ts';
import type { LoggedRequest } from '../../logs/access/request.ts';
import { byCount, copyOf, countOne, sortedCounts } from '../batch/counts.ts';
import { Distinct, hashOf } from '../batch/distinct.ts';
import { type Entry, Frequent } from '../batch/frequent.ts';
import { AnsweredRequests } from './answered.ts';
import { replayBounds } from './bounds.ts';
import type { BlockedRequest, RequestRow, RuleRow, SuspectRow } from './result.ts';
import { isSameSite, siteOf } from './site.ts';

const startOf = (text: string): string => copyOf(text.slice(0, replayBounds.keptCharacters));
const startOrNull = (text: string | null): string | null => (text === null ? null : startOf(text));

interface RequestTally {
  row?: Omit<RequestRow, 'count'>;
}

class RuleTally {
  count = 0;
  answered = 0;
  readonly clients = new Distinct(replayBounds.ruleClients);
  readonly requests = new Frequent(replayBounds.ruleRequests, (): RequestTally => ({}));
}

class SuspectTally {
  rule = '';
  path = '';
  site = '';
  example: SuspectRow['example'] | undefined;
  readonly clients = new Distinct(replayBounds.suspectClients);
}

const isSuccess = (status: number): boolean => (status >= 200 && status < 300) || status === 304;

const pathOf = (target: string): string => {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
};

export class ReplayTally {
  #allowed = 0;
  #blocked = 0;
  readonly #reasons = new Map<string, number>();
  readonly #rules = new Map<string, RuleTally>();
  readonly #suspects = new Frequent(replayBounds.suspects, () => new SuspectTally());
  readonly #sites = new Frequent(replayBounds.sites, () => undefined);
  /** The most frequent site so far. */
  #mostSite: Entry<undefined> | undefined;
  readonly #answered = new AnsweredRequests();

  /**
   * For a line without a host: counts the site of the referrer if the request succeeded, and returns the most frequent
   * site so far. Returns undefined for a line with a host, and before the first site.
   */
  assumedHost({ host, status, referrer }: LoggedRequest): string | undefined {
    if (host !== undefined) return undefined;
    const site = referrer === undefined || !isSuccess(status) ? undefined : siteOf(referrer);
    if (site !== undefined) {
      const entry = this.#sites.add(startOf(site), 1);
      if (entry.count > (this.#mostSite?.count ?? 0)) this.#mostSite = entry;
    }
    return this.#mostSite?.key;
  }

  add({ method, host, target, address, status, referrer }: LoggedRequest, { verdict, reason }: Verdict): void {
    if (verdict === 'allowed') this.#allowed += 1;
    else this.#blocked += 1;
    countOne(this.#reasons, reason);
    if (address === undefined) return;
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
    const tally = this.#rules.get(name) ?? new RuleTally();
    this.#rules.set(name, tally);
    tally.count += 1;
    if (address !== null) tally.clients.add(hashOf(address));
    const { value } = tally.requests.add(startOf(`${method} ${host ?? ''} ${target}`), 1);
    value.row ??= {
      method: startOf(method),
      host: startOrNull(host),
      target: startOf(target),
      address: startOrNull(address),
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
    const { value } = this.#suspects.add(`${rule} ${startOf(`${host ?? site} ${path}`)}`, 1);
    if (address !== null) value.clients.add(hashOf(address));
    if (value.example) return;
    const cutRequest = { method: startOf(method), target: startOf(target), status: request.status };
    const from = { host: startOrNull(host), address: startOrNull(address), referrer: startOrNull(referrer) };
    Object.assign(value, {
      rule,
      path: startOf(path),
      site,
      example: { file, line, request: { ...cutRequest, ...from } },
    });
  }

  #ruleRows(): RuleRow[] {
    const rows = [...this.#rules].map(([name, { count, answered, clients, requests }]) => ({
      ...{ name, count, answered, clients: clients.count, clientsExact: clients.isExact },
      requests: requests
        .sorted()
        .slice(0, replayBounds.shownRequests)
        .flatMap(({ value: { row }, count }) => (row ? [{ ...row, count }] : [])),
    }));
    return rows.sort(byCount);
  }

  #suspectRows(site: string | null): SuspectRow[] {
    const isOfSite = ({ value }: Entry<SuspectTally>) =>
      value.example?.request.host !== null || (site !== null && isSameSite(site, value.site));
    const rows = this.#suspects.sorted().filter(isOfSite);
    return rows
      .flatMap(({ count, value: { rule, path, clients, example } }) =>
        example ? [{ ...{ rule, path, count, example }, ...rowOf(example, clients) }] : [],
      )
      .sort((one, other) => other.clients - one.clients || other.count - one.count);
  }

  result() {
    const site = this.#mostSite?.key ?? null;
    const suspects = this.#suspectRows(site);
    return {
      requests: this.#allowed + this.#blocked,
      verdicts: { allowed: this.#allowed, blocked: this.#blocked },
      reasons: sortedCounts(this.#reasons),
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

const rowOf = ({ request: { method, host } }: SuspectRow['example'], clients: Distinct) => ({
  ...{ method, host, clients: clients.count, clientsExact: clients.isExact },
});
