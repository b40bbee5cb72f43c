/** One change of a configuration that replaces all given handlers together. */
import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../../contract/schema/problem.ts';
import { type Fields, type Handler, type Step, valueAt } from './handlers.ts';

export interface Change {
  readonly path: readonly Step[];
  readonly value: unknown;
}

/**
 * True when the admin API can address this path segment. The API decodes a path, splits it at every slash and
 * normalizes it.
 */
const isAddressable = (step: Step): boolean => typeof step === 'number' || !/^\.{0,2}$|\//.test(step);

/** Returns the longest common path that the API can address. */
function commonPath(paths: readonly (readonly Step[])[]): Step[] {
  const [first = [], ...others] = paths;
  const end = first.findIndex((step, index) => !isAddressable(step) || others.some((path) => path[index] !== step));
  return first.slice(0, end < 0 ? first.length : end);
}

function withValueAt(value: unknown, path: readonly Step[], fresh: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return fresh;
  const inner = withValueAt(valueAt(value, [step]), rest, fresh);
  if (Array.isArray(value)) return value.with(step as number, inner);
  return { ...(value as Fields), [step]: inner };
}

export const changedConfig = (config: unknown, { path, value }: Change): unknown => withValueAt(config, path, value);

const keptKeys = ({ value }: Handler): Fields => ({
  ...(value['@id'] !== undefined && { '@id': value['@id'] }),
  handler: 'guard',
});

/** Returns the policy of a handler: all its keys except `@id` and `handler`. */
export function policyOf({ value: { '@id': _, handler: __, ...policy } }: Handler): Fields {
  return policy;
}

export const haveSamePolicy = (handlers: readonly Handler[]): boolean =>
  handlers.every((one) => isDeepStrictEqual(policyOf(one), policyOf(handlers[0] as Handler)));

/** Returns one change for all handlers, so that no request sees a mixture of old and new policies. */
export function changeOf(config: unknown, handlers: readonly Handler[], policy: Fields): Change {
  const path = commonPath(handlers.map((one) => one.path));
  const value = handlers.reduce<unknown>(
    (at, one) => withValueAt(at, one.path.slice(path.length), { ...keptKeys(one), ...policy }),
    valueAt(config, path),
  );
  return { path, value };
}

export interface Difference {
  readonly key: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Keys with secret values, in the spellings of a proxy policy and of guard.json. */
const secretKeys: readonly string[] = ['secret', 'secret_key', 'secretKey'];

/** Replaces a secret by a placeholder. Keeps a reference such as `${NAME}`, which is not secret. */
function maskedValue(key: string, value: unknown): unknown {
  if (isFields(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedValue(name, one)]));
  return secretKeys.includes(key) && typeof value === 'string' && !value.startsWith('${') ? '(hidden)' : value;
}

/** Returns the policy as `/guard/policies` reports it. */
export const withoutSecrets = (policy: Fields): Fields => maskedValue('', policy) as Fields;

/** Returns the keys in which two policies differ, including those of `response`. Secrets are masked. */
export function differencesOf(old: Fields, fresh: Fields, prefix = ''): Difference[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return keys.flatMap((key): Difference[] => {
    if (isDeepStrictEqual(old[key], fresh[key])) return [];
    if (key === 'response' && prefix === '') {
      return differencesOf((old[key] ?? {}) as Fields, (fresh[key] ?? {}) as Fields, 'response.');
    }
    return [{ key: prefix + key, old: maskedValue(key, old[key]), new: maskedValue(key, fresh[key]) }];
  });
}
