/** Usage metrics of the feed. The LAPI gets them, and `cscli metrics` shows them. */
import { release, type } from 'node:os';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { version } from '../process/version.ts';
import type { Decision, ThreatFeed } from './feed.ts';
import { callLapi, endpointUrl, ServiceError, userAgent } from './service.ts';
import { decisionsPerTurn, nextTurn } from './turn.ts';

type Outcome = Parameters<ThreatFeed['account']>[0];
type Labels = Readonly<Record<string, string>>;

interface Item {
  readonly name: 'processed' | 'dropped' | 'active_decisions';
  readonly value: number;
  /** The unit of `cscli metrics` that fits connections best. */
  readonly unit: 'request' | 'ip';
  readonly labels: Labels;
}

const ipType = (isIpv6: boolean) => (isIpv6 ? 'ipv6' : 'ipv4');

/** Counts by labels. Beyond the bound, new labels are not counted. */
class Counts {
  readonly #counts = new Map<string, number>();

  add(name: Item['name'], labels: Labels, count = 1): void {
    const key = JSON.stringify([name, labels]);
    const earlierCount = this.#counts.get(key);
    if (earlierCount === undefined && this.#counts.size >= daemonBounds.feedUsageItems) return;
    this.#counts.set(key, (earlierCount ?? 0) + count);
  }

  snapshot(): ReadonlyMap<string, number> {
    return new Map(this.#counts);
  }

  subtract(reported: ReadonlyMap<string, number>): void {
    for (const [key, count] of reported) {
      const left = (this.#counts.get(key) ?? 0) - count;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    }
  }
}

function itemsOf(counts: ReadonlyMap<string, number>, unit: Item['unit']): Item[] {
  return [...counts].map(([key, value]) => {
    const [name, labels] = JSON.parse(key) as [Item['name'], Labels];
    return { name, value, unit, labels };
  });
}

interface UsageOptions {
  readonly threatfeed: Daemon['threatfeed'];
  readonly now: () => number;
  readonly decisions: () => Iterable<{ readonly decision: Decision }>;
}

const toSeconds = (ms: number) => Math.floor(ms / 1000);

export class Usage {
  readonly #options: UsageOptions;
  readonly #startedAt: number;
  readonly #counts = new Counts();
  #reportedAt: number;
  #isSupported = true;

  constructor(options: UsageOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    this.#reportedAt = this.#startedAt;
  }

  account({ origin, remediation, isIpv6 }: Outcome, count?: number): void {
    const labels = { ip_type: ipType(isIpv6) };
    this.#counts.add('processed', labels, count);
    if (remediation !== undefined) this.#counts.add('dropped', { origin: origin ?? '', remediation, ...labels }, count);
  }

  async #activeItems(): Promise<Item[]> {
    const active = new Counts();
    let done = 0;
    for (const { decision } of this.#options.decisions()) {
      active.add('active_decisions', { origin: decision.origin, ip_type: ipType(decision.ip.includes(':')) });
      if (++done % decisionsPerTurn === 0) await nextTurn();
    }
    return itemsOf(active.snapshot(), 'ip');
  }

  async #body(counted: ReadonlyMap<string, number>, now: number): Promise<unknown> {
    // The difference is negative when the clock was set back.
    const windowMs = Math.max(0, now - this.#reportedAt);
    const meta = { window_size_seconds: toSeconds(windowMs), utc_now_timestamp: toSeconds(now) };
    const component = {
      type: 'tcp-guard',
      version,
      os: { name: type(), version: release() },
      feature_flags: [],
      utc_startup_timestamp: toSeconds(this.#startedAt),
      metrics: [{ meta, items: [...itemsOf(counted, 'request'), ...(await this.#activeItems())] }],
    };
    return { remediation_components: [component] };
  }

  /**
   * Sends the counts since the last accepted report to the LAPI. Versions before 1.7 respond 404 and get no more
   * reports.
   * @throws ServiceError; the counts are then kept
   */
  async report(signal: AbortSignal): Promise<void> {
    if (!this.#isSupported) return;
    const { threatfeed, now } = this.#options;
    const [counted, at] = [this.#counts.snapshot(), now()];
    try {
      const response = await callLapi(endpointUrl(threatfeed.lapi_url, 'usage-metrics'), {
        method: 'POST',
        headers: { 'x-api-key': threatfeed.api_key, 'user-agent': userAgent },
        body: await this.#body(counted, at),
        timeoutMs: daemonBounds.pushAnswerMs,
        signal,
      });
      await response.body?.cancel();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
      this.#isSupported = false;
      return;
    }
    this.#counts.subtract(counted);
    this.#reportedAt = at;
  }
}
