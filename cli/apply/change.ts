/** One change of a configuration that replaces several handlers at once. */
import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../../contract/schema/problem.ts';
import { type Fields, type Handler, type Step, valueAt } from './handlers.ts';

/** A PATCH: what stands at the path becomes the value. */
export interface Change {
  readonly path: readonly Step[];
  readonly value: unknown;
}

/** Whether the admin API can be told this step: it splits a decoded path at every slash and cleans it (RFC 3986 5.2.4). */
const isAddressable = (step: Step): boolean => typeof step === 'number' || !/^\.{0,2}$|\//.test(step);

/** The longest path that all of them begin with and that can be asked for. */
function commonPath(paths: readonly (readonly Step[])[]): Step[] {
  const [first = [], ...others] = paths;
  const end = first.findIndex((step, index) => !isAddressable(step) || others.some((path) => path[index] !== step));
  return first.slice(0, end < 0 ? first.length : end);
}

function replaced(value: unknown, path: readonly Step[], fresh: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return fresh;
  const inner = replaced(valueAt(value, [step]), rest, fresh);
  if (Array.isArray(value)) return value.with(step as number, inner);
  return { ...(value as Fields), [step]: inner };
}

/** The configuration after the change. */
export const changed = (config: unknown, { path, value }: Change): unknown => replaced(config, path, value);

/** What a handler keeps when its policy is replaced. */
const kept = ({ value }: Handler): Fields => ({
  ...(value['@id'] !== undefined && { '@id': value['@id'] }),
  handler: 'guard',
});

/** The policy of a handler: everything but what makes it one. */
export function policyOf({ value: { '@id': _, handler: __, ...policy } }: Handler): Fields {
  return policy;
}

/** Whether all of them have one policy. */
export const isOnePolicy = (handlers: readonly Handler[]): boolean =>
  handlers.every((one) => isDeepStrictEqual(policyOf(one), policyOf(handlers[0] as Handler)));

/** The one change that gives all these handlers the policy: Caddy has the old or the new configuration, nothing between. */
export function changeOf(config: unknown, handlers: readonly Handler[], policy: Fields): Change {
  const path = commonPath(handlers.map((one) => one.path));
  const value = handlers.reduce<unknown>(
    (at, one) => replaced(at, one.path.slice(path.length), { ...kept(one), ...policy }),
    valueAt(config, path),
  );
  return { path, value };
}

export interface Difference {
  readonly key: string;
  /** Undefined: the key is absent there. */
  readonly old: unknown;
  readonly new: unknown;
}

/** Keys whose values are for the guard alone, as the policy of a proxy spells them. */
const secretKeys: readonly string[] = ['secret', 'secret_key'];

/** A value as it may be shown: a secret is not, but for the name of a variable that holds one. */
function shown(key: string, value: unknown): unknown {
  if (isFields(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(name, one)]));
  return secretKeys.includes(key) && typeof value === 'string' && !value.startsWith('${') ? '(hidden)' : value;
}

/** The keys in which two policies differ, down to those of `response`; secrets are told apart and not shown. */
export function differences(old: Fields, fresh: Fields, prefix = ''): Difference[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return keys.flatMap((key): Difference[] => {
    if (isDeepStrictEqual(old[key], fresh[key])) return [];
    if (key === 'response' && prefix === '') {
      return differences((old[key] ?? {}) as Fields, (fresh[key] ?? {}) as Fields, 'response.');
    }
    return [{ key: prefix + key, old: shown(key, old[key]), new: shown(key, fresh[key]) }];
  });
}
