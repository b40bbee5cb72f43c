import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { cut } from '../../platform/cut.ts';
import { formatPrefix, type Prefix, readPrefix } from '../address/prefix.ts';
import { isDateMs } from '../time/date.ts';
import type { Decision } from './feed.ts';
import { parseGoDuration } from './go-duration.ts';

interface DecisionKey {
  /**
   * Identifies a decision when the LAPI deletes it: scope, value and type. The id would not: when several decisions
   * have the same scope, value and type, the LAPI sends only the longest. The value is verbatim, because the LAPI
   * compares the text of values.
   */
  readonly key: string;
  readonly prefix: Prefix;
  readonly ip: string;
}

export interface KeyedDecision extends DecisionKey {
  readonly decision: Decision;
}

/** The scopes of addresses, in lower case: some releases write them so. Other scopes match no client. */
const scopes: ReadonlySet<string> = new Set(['ip', 'range']);

/** Texts that many decisions share. Storing each of them once saves memory. */
const texts = new Map<string, string>();
const mostTexts = 4096;

export function intern(text: string): string {
  const known = texts.get(text.slice(0, daemonBounds.feedTextCharacters));
  if (known !== undefined) return known;
  const kept = cut(text, daemonBounds.feedTextCharacters);
  if (texts.size < mostTexts) texts.set(kept, kept);
  return kept;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? intern(value) : '');

function fieldsOf(raw: unknown): Record<string, unknown> {
  return typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
}

/** Returns undefined when the decision has no address or no type. */
export function readKey(raw: unknown): DecisionKey | undefined {
  const { scope, type, value } = fieldsOf(raw);
  if (typeof scope !== 'string' || typeof type !== 'string' || typeof value !== 'string') return undefined;
  const scopeName = scope.toLowerCase();
  const prefix = scopes.has(scopeName) && value.length < 64 ? readPrefix(value.trim()) : undefined;
  if (!prefix || type === '') return undefined;
  const ip = formatPrefix(prefix);
  return { key: `${scopeName} ${value} ${intern(type)}`, prefix, ip };
}

/** Adds the name of the list to the origin `lists`. The LAPI sends this name as the scenario. */
const originOf = (origin: string, scenario: string): string =>
  origin === 'lists' ? intern(`lists:${scenario}`) : origin;

/** Returns undefined when the decision cannot be enforced, such as a simulated or expired one. */
export function readDecision(raw: unknown, now: number): KeyedDecision | undefined {
  const key = readKey(raw);
  const fields = fieldsOf(raw);
  const ms = typeof fields.duration === 'string' ? parseGoDuration(fields.duration) : undefined;
  if (!key || ms === undefined || ms <= 0 || fields.simulated === true) return undefined;
  const scenario = textOf(fields.scenario);
  const decision = {
    ip: key.ip,
    type: textOf(fields.type),
    origin: originOf(textOf(fields.origin), scenario),
    scenario,
    expiresAt: now + ms,
  };
  return { ...key, decision };
}

/** A decision on disk. `value`: present when its spelling differs from the canonical address. */
export type StoredDecision = readonly [scope: string, decision: Decision, value?: string];

export function toStored({ key, decision }: KeyedDecision): StoredDecision {
  const scope = key.slice(0, key.indexOf(' '));
  const value = key.slice(scope.length + 1, -decision.type.length - 1);
  return value === decision.ip ? [scope, decision] : [scope, decision, value];
}

/**
 * Returns undefined when the decision has ended.
 * @throws when `toStored` did not write the value
 */
export function readStored(
  [scope, decision, value = decision.ip]: StoredDecision,
  now: number,
): KeyedDecision | undefined {
  const { type, origin, scenario, expiresAt } = decision;
  const key = readKey({ scope, type, value });
  if (!key || !isDateMs(expiresAt)) throw new Error('the file is damaged');
  if (expiresAt <= now) return undefined;
  return {
    ...key,
    decision: { ip: key.ip, type: intern(type), origin: textOf(origin), scenario: textOf(scenario), expiresAt },
  };
}
