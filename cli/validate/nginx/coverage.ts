/** Finds requests that bypass the guard. */
import {
  type Config,
  childrenOf,
  directivesOf,
  luaHooks,
  luaOf,
  namedDirectives,
  rewriteHooks,
  type Scope,
} from './config.ts';
import { type Check, type Finding, inits } from './finding.ts';
import type { Directive } from './parse.ts';
import { findPolicyNames } from './policy-names.ts';

/** True when `name` matches after the word `guard` in the Lua source. One pattern for both takes quadratic time. */
function callsFunction(source: string, name: RegExp): boolean {
  const at = source.search(/\bguard\b/);
  return at >= 0 && name.test(source.slice(at));
}

const callsGuard = (source: string): boolean => callsFunction(source, /\bcheck\b/);
const startsGuard = (source: string): boolean => callsFunction(source, /\binit\b/);

function* findMissingInit(config: Config): Iterable<Finding> {
  const sources = inits(config).map(luaOf);
  if (sources.some((source) => source === undefined || startsGuard(source))) return;
  yield {
    ...{ level: 'problem', kind: 'no_policy', line: config.line, path: '' },
    message: 'no init_by_lua_block passes a policy to the guard',
    hint: 'add what `guardcli generate nginx` prints to the http block',
  };
}

function isGuarded(hook: Directive | undefined): boolean {
  const source = hook && luaOf(hook);
  return hook !== undefined && (source === undefined || callsGuard(source));
}

/** True when the hook calls the guard. Lua in a file counts as a call. */
export const isInspected = ({ hook }: Scope): boolean => isGuarded(hook);

const unseenHook = ({ name: path }: Scope, { name, line, args }: Directive): Finding => ({
  ...{ level: 'warning', kind: 'hook_in_file', line, path },
  message: `${name} runs the file ${args[0]}, which this check does not read`,
  hint: 'check that the file calls require("guard").check() first',
});

/**
 * Reports a server without a hook, and a server whose inherited hook does not call the guard. Does not report their
 * locations. Any other hook without a call of the guard is reported where it is written: at its server or location.
 */
function* findUninspected(config: Config): Iterable<Finding> {
  for (const scope of [...config.servers, ...config.locations]) {
    const { hook } = scope;
    const isOwn = hook !== undefined && childrenOf(scope.directive).includes(hook);
    if (scope.isInternal || isGuarded(hook)) {
      if (isOwn && hook && luaOf(hook) === undefined) yield unseenHook(scope, hook);
    } else if (isOwn && hook) {
      yield {
        ...{ level: 'problem', kind: 'hook_replaced', line: hook.line, path: scope.name },
        message: `its ${hook.name} replaces the hook that calls the guard, so nothing here is inspected`,
        hint: 'begin its Lua with require("guard").check()',
      };
    } else if (scope.parent === undefined) {
      yield {
        ...{ level: 'problem', kind: 'not_inspected', line: scope.directive.line, path: scope.name },
        message: 'no rewrite_by_lua_block calls the guard, so nothing here is inspected',
        hint: 'put rewrite_by_lua_block { require("guard").check() } in the http block or in this server',
      };
    }
  }
}

/** Lua that may end the request before the call of the guard. */
const mayEnd = /\bngx\s*\.\s*(?:exit|exec|redirect|say|print)\b|\breturn\b/;

function* findLateCalls(config: Config): Iterable<Finding> {
  for (const hook of directivesOf(config, ...rewriteHooks)) {
    const [before = '', after] = (luaOf(hook) ?? '').split(/\bguard\b/);
    if (after === undefined || !mayEnd.test(before)) continue;
    yield {
      ...{ level: 'warning', kind: 'not_first', line: hook.line, path: hook.name },
      message: 'the Lua before the call of the guard may end the request first',
      hint: 'begin its Lua with require("guard").check()',
    };
  }
}

function endsRequest({ name, args }: Directive): boolean {
  if (name === 'return') return true;
  const [, target = '', flag = ''] = args;
  return name === 'rewrite' && (/^(?:redirect|permanent)$/.test(flag) || /^(?:https?:\/\/|\$scheme)/.test(target));
}

function* endingDirectives(block: Directive): Iterable<Directive> {
  for (const directive of childrenOf(block)) {
    if (endsRequest(directive)) yield directive;
    if (directive.name === 'if') yield* endingDirectives(directive);
  }
}

function* findEarlyServerResponses(config: Config): Iterable<Finding> {
  for (const server of config.servers)
    for (const { name, line } of endingDirectives(server.directive))
      yield {
        ...{ level: 'warning', kind: 'answered_before', line, path: server.name },
        message: `${name} of a server responds before any Lua runs, so the guard sees none of these requests`,
        hint: 'move it to a location, such as `location / { ... }`',
      };
}

const isOn = (config: Config, name: string): boolean =>
  namedDirectives(config.http, name).some(({ args }) => args[0] === 'on');

function* findEarlyLocationResponses(config: Config): Iterable<Finding> {
  if (isOn(config, 'rewrite_by_lua_no_postpone')) return;
  for (const location of config.locations) {
    const ending = childrenOf(location.directive).find(endsRequest);
    const isOfServer = location.directive.name === 'if' && location.parent?.parent === undefined;
    if (!ending || location.isInternal || isOfServer) continue;
    yield {
      ...{ level: 'problem', kind: 'answered_before', line: ending.line, path: location.name },
      message: `${ending.name} responds before the guard runs`,
      hint: 'put `rewrite_by_lua_no_postpone on;` in the http block',
    };
  }
}

/** Finds calls in other phases, which evaluate and report the request again. */
function* findRepeatedCalls(config: Config): Iterable<Finding> {
  const others = ['access', 'content', 'server_rewrite'].flatMap(luaHooks);
  for (const hook of directivesOf(config, ...others))
    if (callsGuard(luaOf(hook) ?? ''))
      yield {
        ...{ level: 'warning', kind: 'other_phase', line: hook.line, path: hook.name },
        message: 'this call evaluates a request twice, or runs in a phase that nginx skips for some requests',
        hint: 'call it only in rewrite_by_lua_block',
      };
}

export const coverageChecks: readonly Check[] = [
  findMissingInit,
  findUninspected,
  findLateCalls,
  findEarlyServerResponses,
  findEarlyLocationResponses,
  findRepeatedCalls,
  findPolicyNames,
];
