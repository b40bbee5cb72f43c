/** Decisions in the format of the LAPI, and the daemon's form of them. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { cut } from '../../platform/cut.ts';
import { formatPrefix, type Prefix, readPrefix } from '../address/prefix.ts';
import type { Decision } from './feed.ts';
import { parseGoDuration } from './go-duration.ts';

export interface DecisionKey {
  /**
   * Identifies a decision in a deletion. Ids do not: the LAPI sends only the longest of several equal decisions, which are
   * those of one scope, value and type. It compares the text of values, and deletes each spelling separately.
   */
  readonly key: string;
  readonly prefix: Prefix;
  readonly ip: string;
}

export interface KeyedDecision extends DecisionKey {
  readonly decision: Decision;
}

/** Scopes that are addresses, in lower case as some releases write them. Other scopes (countries, systems) match no client. */
const scopes: ReadonlySet<string> = new Set(['ip', 'range']);

/** Interns equal texts of many decisions, which would take separate memory otherwise. */
const texts = new Map<string, string>();
const mostTexts = 4096;

function shared(text: string): string {
  const known = texts.get(text.slice(0, daemonBounds.feedTextCharacters));
  if (known !== undefined) return known;
  const kept = cut(text, daemonBounds.feedTextCharacters);
  if (texts.size < mostTexts) texts.set(kept, kept);
  return kept;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? shared(value) : '');

function fieldsOf(raw: unknown): Record<string, unknown> {
  return typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
}

/** Undefined: the decision has no address. */
export function readKey(raw: unknown): DecisionKey | undefined {
  const { scope, type, value } = fieldsOf(raw);
  if (typeof scope !== 'string' || typeof type !== 'string' || typeof value !== 'string') return undefined;
  const scopeName = scope.toLowerCase();
  const prefix = scopes.has(scopeName) && value.length < 64 ? readPrefix(value.trim()) : undefined;
  if (!prefix || type === '') return undefined;
  const ip = formatPrefix(prefix);
  return { key: `${scopeName} ${value} ${shared(type)}`, prefix, ip };
}

/** The name of a list is in the scenario of its decisions. */
const originOf = (origin: string, scenario: string): string =>
  origin === 'lists' ? shared(`lists:${scenario}`) : origin;

/** Undefined: the decision cannot be enforced, such as a simulated or an expired one. */
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

/** A decision on disk: its scope, its own fields, and the value when it is not spelled like its address. */
export type Stored = readonly [scope: string, decision: Decision, value?: string];

export function toStored({ key, decision }: KeyedDecision): Stored {
  const scope = key.slice(0, key.indexOf(' '));
  const value = key.slice(scope.length + 1, -decision.type.length - 1);
  return value === decision.ip ? [scope, decision] : [scope, decision, value];
}

/** Undefined: the decision has ended. Throws for what `toStored` did not write. */
export function readStored([scope, decision, value = decision.ip]: Stored, now: number): KeyedDecision | undefined {
  const { type, origin, scenario, expiresAt } = decision;
  const key = readKey({ scope, type, value });
  if (!key || typeof expiresAt !== 'number') throw new Error('the file is damaged');
  if (expiresAt <= now) return undefined;
  return {
    ...key,
    decision: { ip: key.ip, type: shared(type), origin: textOf(origin), scenario: textOf(scenario), expiresAt },
  };
}
