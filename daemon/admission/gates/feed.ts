/** Applies `fallback_action` to clients that a decision of the threat feed covers: ban, throttle or bypass. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Decision, ThreatFeed } from '../../feed/feed.ts';
import { createBuckets } from './bucket.ts';
import type { Arrival, Gate, Refusal } from './gate.ts';

type Action = Arrival['rules']['config']['threatfeed']['fallback_action'];

export interface FeedGateOptions {
  /** Returns the current feed, if it is enabled. A reload can change it. */
  readonly feed: () => ThreatFeed | undefined;
  /** Called when `bypass` makes this gate pass a connection although a decision covers its client. */
  readonly bypassed: (arrival: Arrival) => void;
  readonly now: () => number;
}

export function feedGate({ feed, bypassed, now }: FeedGateOptions): Gate {
  const buckets = createBuckets(daemonBounds.rateKeys, now);
  const actions: Readonly<Record<Action, (arrival: Arrival) => Refusal | undefined>> = {
    ban: () => 'threatfeed',
    throttle: ({ client, rules }) => {
      const perMinute = rules.config.threatfeed.throttle.connections_per_minute;
      return buckets.consume(client.key, { perMinute, burst: 1 }) ? undefined : 'threatfeed_throttle';
    },
    bypass: (arrival) => {
      bypassed(arrival);
      return undefined;
    },
  };
  const decide = (arrival: Arrival, decision: Decision | undefined) => {
    const action = arrival.rules.config.threatfeed.fallback_action;
    const refusal = decision && actions[action](arrival);
    const isIpv6 = arrival.client.address.family === 6;
    feed()?.account({ isIpv6, ...(decision && { origin: decision.origin }), ...(refusal && { remediation: action }) });
    return refusal;
  };
  return {
    refuses: (arrival) => decide(arrival, feed()?.covering(arrival.client.ip)),
    table: buckets.stats,
  };
}
