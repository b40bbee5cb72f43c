/** Exceptions of a policy: rules that are off for some hosts, clients and paths. */
import { exceptionsOf, type NamedException } from '../contract/policy/applications.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { testOf } from '../contract/regex/compile.ts';
import { type Address, type Network, networksOf } from '../contract/values/address.ts';
import { clientAddress, isWithin } from './client-address.ts';
import { hostName } from './host-name.ts';
import type { GuardRequest, Target } from './request.ts';
import type { Rule } from './rules.ts';

/** Why an exception does not apply to a request. */
export type ExceptionMiss = 'host' | 'client' | 'path' | 'limit';

/** What exceptions are compared with, of one request. */
interface Excepted {
  readonly host: string;
  /** Absent where no exception has clients, or the peer has no address. */
  readonly client?: Address;
  readonly paths: readonly Target[];
}

export interface Exception {
  /** The place in the policy, such as `exceptions[0]` or `applications[0]`. */
  readonly name: string;
  readonly rules: ReadonlySet<string>;
  /** Whether it holds only for some clients. */
  readonly hasClients: boolean;
  /** Returns why the exception does not apply, or undefined when it applies. */
  readonly miss: (excepted: Excepted) => ExceptionMiss | undefined;
}

/** The exceptions of a policy, and the proxies whose forwarded address is the client. */
interface Exceptions {
  readonly exceptions: readonly Exception[];
  readonly trustedProxies: readonly Network[];
}

function matchesHost(patterns: readonly string[], host: string): boolean {
  if (patterns.length === 0) return true;
  return patterns.some((pattern) => host === pattern || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1))));
}

function compileException({ name, rules, path, hosts, clients }: NamedException): Exception {
  const patterns = hosts.map((host) => host.toLowerCase());
  const networks = networksOf(clients);
  const hasClients = clients.length > 0;
  const covers = testOf(path);
  return {
    name,
    rules: new Set(rules),
    hasClients,
    miss: ({ host, client, paths }) => {
      if (!matchesHost(patterns, host)) return 'host';
      if (hasClients && !(client && isWithin(client, networks))) return 'client';
      if (paths.some(({ limit }) => limit)) return 'limit';
      return paths.every(({ candidates }) => candidates.every(covers)) ? undefined : 'path';
    },
  };
}

export function compileExceptions(policy: Policy): Exception[] {
  return exceptionsOf(policy).map(compileException);
}

/** Returns what the exceptions of a policy are compared with. */
export function exceptedOf(
  { exceptions, trustedProxies }: Exceptions,
  request: GuardRequest,
  paths: readonly Target[],
): Excepted {
  const client = exceptions.some(({ hasClients }) => hasClients) ? clientAddress(request, trustedProxies) : undefined;
  return { host: hostName(request.host ?? ''), ...(client && { client }), paths };
}

/**
 * Returns a function that reports whether a rule is off. An exception applies when it matches the host, the client and
 * each path candidate, and no path reached a limit. Exceptions are evaluated when the first block rule matches.
 */
export function createIsOff(
  compiled: Exceptions,
  request: GuardRequest,
  paths: readonly Target[],
): (rule: Rule) => boolean {
  let applying: readonly Exception[] | undefined;
  return (rule) => {
    if (rule.action === 'allow' || compiled.exceptions.length === 0) return false;
    if (!applying) {
      const excepted = exceptedOf(compiled, request, paths);
      applying = compiled.exceptions.filter((exception) => exception.miss(excepted) === undefined);
    }
    return applying.some((exception) => exception.rules.has(rule.id));
  };
}
