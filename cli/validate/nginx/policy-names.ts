/** Finds calls of check() for policies that no init() defines. */
import { type Config, directivesOf, luaOf, rewriteHooks } from './config.ts';
import { type Finding, inits, policyText } from './finding.ts';
import type { Directive } from './parse.ts';

/** Names, strings and marks of Lua. An unclosed string extends to the end. */
const token = /[A-Za-z_]\w*|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)|\[(=*)\[.*?(?:\]\1\]|$)|[^\s\w]/gs;

const isText = (word: string): boolean => /^["']|^\[=*\[/.test(word);

interface Open {
  readonly isInit: boolean;
  isNamed: boolean;
}

/**
 * True when there are calls of init and each has a literal name. A computed name could be any name, so the result is
 * then false.
 */
function namesAll(source: string): boolean {
  const open: Open[] = [];
  let [word, calls] = ['', 0];
  for (const [next] of source.matchAll(token)) {
    const last = open.at(-1);
    if (word === 'init' && next !== '(') return false;
    if (/^[({[]$/.test(next)) open.push({ isInit: next === '(' && word === 'init', isNamed: false });
    else if (last && word === ',' && isText(next)) last.isNamed = true;
    else if (/^[)}\]]$/.test(next) && open.pop()?.isInit) {
      if (!last?.isNamed) return false;
      calls += 1;
    }
    word = next;
  }
  return calls > 0;
}

const unknownFinding = ({ name: path, line }: Directive, message: string, hint: string): Finding => ({
  ...{ level: 'problem', kind: 'unknown_policy', line, path },
  message: `${message}, so every request here gets status 500`,
  hint,
});

function* findUnknownNames(config: Config): Iterable<Finding> {
  const text = policyText(config);
  if (text === '') return;
  for (const hook of directivesOf(config, ...rewriteHooks))
    for (const [, name = ''] of (luaOf(hook) ?? '').matchAll(/\bcheck\s*\(?\s*["']([^"']+)["']/g))
      if (!text.includes(`"${name}"`) && !text.includes(`'${name}'`)) {
        const hint = `pass the name to init as its second argument: init({ ... }, "${name}")`;
        yield unknownFinding(hook, `there is no policy named "${name}"`, hint);
      }
}

/** Finds calls without a name when every policy has one. */
function* findMissingDefault(config: Config): Iterable<Finding> {
  const sources = inits(config).map(luaOf);
  if (sources.includes(undefined) || !namesAll(sources.join('\n'))) return;
  for (const hook of directivesOf(config, ...rewriteHooks)) {
    const source = luaOf(hook) ?? '';
    if (!source.includes('guard') || !/\.\s*check\s*\(\s*\)/.test(source)) continue;
    const hint = 'pass the name of a policy to check, or leave the second argument of one init out';
    yield unknownFinding(hook, 'check() has no name, and every policy has one', hint);
  }
}

export function* findPolicyNames(config: Config): Iterable<Finding> {
  yield* findUnknownNames(config);
  yield* findMissingDefault(config);
}
