/** Loads what is being blocked from Loki: the most frequent attacks as counts, and the newest events of one of them. */
import type { AuditRecord, RequestEvent } from '../../../contract/events/members.ts';
import { readRecord } from '../../../contract/events/read.ts';
import type { Context } from '../../program/context.ts';
import { openLoki } from '../../stack/loki/client.ts';
import { type LokiOptions, lokiUrl } from '../../stack/loki/options.ts';
import type { Labels, QueryResult } from '../../stack/loki/result.ts';

/** Labels and metadata of one attack: what one client does, and what blocks it. */
const names = ['client_ip', 'rule_id', 'gateway', 'service', 'action'] as const;
type Name = (typeof names)[number];

/** `rule_id` is the reason where no rule decided. Every value may come from an attacker. */
export interface Attack extends Readonly<Record<Name, string>> {
  /** Events in the last minute, and in the whole range. */
  readonly recent: number;
  readonly total: number;
}

export type BlockedEvent = RequestEvent | AuditRecord;

export const isSameAttack = (one: Attack, other: Attack): boolean => names.every((name) => one[name] === other[name]);

/** Listed attacks, and loaded events of the selected one. */
const [mostAttacks, mostEvents] = [100, 20];
export const recentMs = 60_000;

const quoted = (text: string): string => JSON.stringify(text);

function countQuery(rangeMs: number): string {
  const events = '{app="request-guard", action=~"blocked|detected"} | unwrap count';
  const counts = `sum by (${names.join(', ')}) (sum_over_time(${events} [${Math.ceil(rangeMs / 1000)}s]))`;
  return `topk(${mostAttacks}, ${counts})`;
}

function eventQuery({ action, gateway, service, client_ip, rule_id }: Attack): string {
  const stream = `app="request-guard", action=${quoted(action)}, gateway=${quoted(gateway)}, service=${quoted(service)}`;
  return `{${stream}} | client_ip=${quoted(client_ip)} | rule_id=${quoted(rule_id)}`;
}

const attackOf = (labels: Labels): Attack => ({
  ...(Object.fromEntries(names.map((name) => [name, labels[name] ?? ''])) as Record<Name, string>),
  ...{ recent: 0, total: 0 },
});

/** Joins the counts of the two ranges. The attacks of the last minute come first. */
function attacksOf(recent: QueryResult, total: QueryResult): Attack[] {
  const attacks = new Map<string, Attack>();
  for (const [member, result] of [
    ['recent', recent],
    ['total', total],
  ] as const)
    for (const { labels, samples } of result.kind === 'series' ? result.series : []) {
      const attack = attackOf(labels);
      const key = JSON.stringify(names.map((name) => attack[name]));
      attacks.set(key, { ...(attacks.get(key) ?? attack), [member]: samples.at(-1)?.value ?? 0 });
    }
  // An attack of the last minute need not be among the most frequent ones of the whole range.
  const known = [...attacks.values()].map((one) => ({ ...one, total: Math.max(one.total, one.recent) }));
  return known.sort((one, other) => other.recent - one.recent || other.total - one.total).slice(0, mostAttacks);
}

export interface BlockedSource {
  /** @throws ExternalError when Loki does not respond */
  readonly attacks: (signal: AbortSignal) => Promise<Attack[]>;
  /** Returns the newest events of an attack, the newest first. */
  readonly events: (attack: Attack, signal: AbortSignal) => Promise<BlockedEvent[]>;
}

export function openSource(options: LokiOptions, rangeMs: number, context: Context): BlockedSource {
  const url = lokiUrl(options, context);
  return {
    attacks: async (signal) => {
      const loki = openLoki(url, signal);
      const ranges = [Math.min(recentMs, rangeMs), rangeMs];
      const [recent, total] = await Promise.all(ranges.map((ms) => loki.query(countQuery(ms), context.now())));
      return attacksOf(recent as QueryResult, total as QueryResult);
    },
    events: async (attack, signal) => {
      const now = context.now();
      // The clock of a gateway can be ahead.
      const range = { start: now - rangeMs, end: now + recentMs, limit: mostEvents };
      const found = await openLoki(url, signal).queryRange(eventQuery(attack), range);
      const lines = found.kind === 'lines' ? found.lines : [];
      return lines.flatMap(({ line }) => {
        const record = readRecord(line)?.record;
        return record === undefined || record.type === 'guard_block_summary' ? [] : [record];
      });
    },
  };
}
