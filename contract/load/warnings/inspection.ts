import { builtInRules } from '../../policy/builtin-rules.ts';
import { isActive } from '../../policy/engine-rules.ts';
import { knownMethods, usualMethods } from '../../policy/methods.ts';
import type { Policy } from '../../policy/schema.ts';
import type { Fields } from '../../schema/problem.ts';
import { didYouMean } from '../../values/nearest.ts';
import { quoted } from '../quote.ts';
import { customRules } from './custom-rules.ts';
import type { Warning } from './warning.ts';

export function* disabledOrDetecting({ enabled, mode }: Policy): Iterable<Warning> {
  if (!enabled) yield { kind: 'disabled', path: ['enabled'], message: 'the guard is off: nothing is inspected' };
  if (mode === 'detect')
    yield { kind: 'detect', path: ['mode'], message: 'nothing is blocked: the guard only reports' };
}

const listMethods = 'list the methods that your backend supports, or "*"';

/** Warns of a file without methods: the author may not expect that the default is only GET. */
export function* getOnly(_: Policy, file: Fields): Iterable<Warning> {
  if (file.methods !== undefined) return;
  const message = 'only GET is inspected: HEAD, POST and all other methods pass';
  yield { kind: 'get_only', path: ['methods'], message, hint: listMethods };
}

/** Warns of methods that HTTP does not define, and of a list without usual methods. */
export function* strangeMethods({ methods }: Policy): Iterable<Warning> {
  for (const [index, name] of methods.entries()) {
    if (name === '*' || knownMethods.includes(name.toUpperCase())) continue;
    const message = `${quoted(name)} is not a known method: the entry has an effect only if clients send it`;
    const hint = didYouMean(name, knownMethods);
    yield { kind: 'unknown_method', path: ['methods', index], message, ...(hint !== undefined && { hint }) };
  }
  if (methods.some((name) => name === '*' || usualMethods.includes(name.toUpperCase()))) return;
  const message = `almost every request passes: ${usualMethods.join(', ')} are not inspected`;
  yield { kind: 'unusual_methods', path: ['methods'], message, hint: listMethods };
}

export function* noBlockRules(policy: Policy): Iterable<Warning> {
  if (policy.exploits !== 'off') return;
  const isBlock = ({ action }: { readonly action: string }): boolean => action === 'block';
  if (customRules(policy).some(isBlock)) return;
  if (builtInRules.some((rule) => isBlock(rule) && isActive(rule, policy))) return;
  const path = [policy.enableDefaultPatterns ? 'disabledRules' : 'enableDefaultPatterns'];
  const message = 'no block rule is active: only requests past a limit are blocked';
  yield { kind: 'no_block_rules', path, message, hint: 'add blockPatterns or rules, or turn built-in rules on' };
}

/** Warns of a file without `bodyOverflow`. The author may expect that bodies are inspected completely. */
export function* uninspectedBodies({ checkBody }: Policy, file: Fields): Iterable<Warning> {
  if (!checkBody || file.bodyOverflow !== undefined) return;
  const message = 'a body of which a part cannot be inspected passes: one that is too long, compressed or malformed';
  const hint = 'write "block" and a maxBodyBytes that your uploads need, or "pass" to keep this';
  yield { kind: 'body_overflow', path: ['bodyOverflow'], message, hint };
}
