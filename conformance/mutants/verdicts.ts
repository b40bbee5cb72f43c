/** Mutants of the order of evaluation, of rules and of exceptions. */
import { type Mutant, mutantsOf } from './mutant.ts';

const evaluation = mutantsOf('engine/evaluate.ts', [
  [
    'the shorter readings of an excused reading are tried',
    'rule ? blocked(target, candidate, rule) :',
    'blocked(target, candidate, rule) ??',
  ],
  ['the whole candidate is reported', 'blocked(target, reading, ', 'blocked(target, candidate, '],
  ['a disabled policy inspects', "if (!compiled.policy.enabled) return allowed('disabled');", ''],
  ['methods have a case', 'request.method.toUpperCase()', 'request.method'],
  ['* is a method like others', "!methods.has('*') && ", ''],
  [
    'every method is inspected',
    "request.method.toUpperCase())) return allowed('method_not_inspected');",
    'request.method.toUpperCase())) return undefined;',
  ],
  ['no address is allowed', "? allowed('allowed_ip') : undefined", '? undefined : undefined'],
  ['the peer is the client', 'clientAddress(request, trustedProxies)', 'clientAddress(request, [])'],
  [
    'an allowed address comes before the method',
    "  if (!compiled.policy.enabled) return allowed('disabled');",
    "  const early = clientAddress(request, compiled.trustedProxies);\n  if (early && isWithin(early, compiled.allowedIps)) return allowed('allowed_ip');\n  if (!compiled.policy.enabled) return allowed('disabled');",
  ],
  [
    'an allow rule excuses the whole request',
    '    inspection.excusedBy ??= rule;\n',
    "    inspection.excusedBy ??= rule;\n    if (rule) return allowed('allow_pattern_match', rule);\n",
  ],
  [
    'an allow rule excuses a whole target',
    '    inspection.excusedBy ??= rule;\n',
    '    inspection.excusedBy ??= rule;\n    if (rule) return undefined;\n',
  ],
  [
    'the last rule that excused is named',
    'inspection.excusedBy ??= rule',
    'inspection.excusedBy = rule ?? inspection.excusedBy',
  ],
  ['an allow rule excuses limits', 'return target.limit && {', 'return target.limit && !inspection.excusedBy && {'],
  ['limits do not block', 'return target.limit && {', 'return target.limit && false && {'],
  ['limits name no target', 'reason: target.limit, target: target.name }', 'reason: target.limit }'],
  [
    'limits come before matches',
    '  for (const candidate of target.candidates) {',
    "  if (target.limit) return { verdict: 'blocked', reason: target.limit, target: target.name };\n  for (const candidate of target.candidates) {",
  ],
  ['built-in allow rules let the request through', 'rule?.isCustom === true', 'rule !== undefined'],
  [
    'one own excuse lets the request through',
    'inspection.isCustomAllowed &&= rule',
    'inspection.isCustomAllowed = rule',
  ],
  ['own allow rules excuse candidates only', 'if (inspection.isCustomAllowed) return', 'if (false) return'],
  [
    'own excuses are named as no match',
    "if (inspection.isCustomAllowed) return allowed('allow_pattern_match', inspection.excusedBy)",
    "if (inspection.isCustomAllowed) return allowed('no_match')",
  ],
  ['excuses are not named', "inspection.excusedBy ? allowed('allow_pattern_match', inspection.excusedBy) : ", ''],
]);

const rules = mutantsOf('engine/rules.ts', [
  [
    'custom rules come before custom patterns',
    '[...short, ...policy.rules.filter((rule) => rule.action === action)]',
    '[...policy.rules.filter((rule) => rule.action === action), ...short]',
  ],
  ['custom rules are left out', '[...short, ...policy.rules.filter((rule) => rule.action === action)]', 'short'],
  [
    'built-in rules come before own ones',
    '[...customRules(policy, action), ...enabledBuiltIns(policy, action)]',
    '[...enabledBuiltIns(policy, action), ...customRules(policy, action)]',
  ],
  ['block rules come before allow rules', "= ['allow', 'block']", "= ['block', 'allow']"],
  ['custom patterns match paths only', "= ['path', 'query', 'body']", "= ['path']"],
  ['custom patterns do not match bodies', "= ['path', 'query', 'body']", "= ['path', 'query']"],
  ['custom rules count as built in', 'isCustom: known === undefined', 'isCustom: false'],
  ['patterns are numbered from one', 'patternId(action, index)', 'patternId(action, index + 1)'],
]);

const builtIn = mutantsOf('contract/policy/builtin-rules.ts', [
  ['built-in block rules stay', "action === 'block' && !enableDefaultPatterns", 'false'],
  ['built-in allow rules stay', "action === 'allow' && !enableDefaultAllowPatterns", 'false'],
  ['disabled rules stay', ' && !policy.disabledRules.includes(rule.id)', ''],
  ['rules of size extended are on', "size === 'extended' && builtinRules !== 'extended'", 'false'],
  ['rules of size extended are off', "size === 'extended' && builtinRules !== 'extended'", "size === 'extended'"],
]);

const compiled = mutantsOf('engine/compiled.ts', [
  ['rules look at every target', 'rules.filter((rule) => rule.targets.includes(kind))', 'rules'],
  ['the methods of a policy have a case', 'method.toUpperCase()', 'method'],
  ['a query is matched as a body', "query: matcher('query')", "query: matcher('body')"],
  ['a body is matched as a query', "body: matcher('body')", "body: matcher('query')"],
]);

const exceptions = mutantsOf('engine/exceptions.ts', [
  ['hosts of an exception do not count', "if (!matchesHost(patterns, hostName(host))) return 'host';", ''],
  ['an exception without hosts never applies', 'if (patterns.length === 0) return true;', ''],
  ['a suffix is not a pattern', "(pattern.startsWith('*.') && host.endsWith(pattern.slice(1)))", 'false'],
  ['a suffix matches within a label', 'pattern.slice(1)', 'pattern.slice(2)'],
  ['hosts of a policy have a case', 'hosts.map((host) => host.toLowerCase())', '[...hosts]'],
  ['one covered candidate is enough', 'candidates.every(covers)', 'candidates.some(covers)'],
  ['one covered path is enough', 'paths.every((', 'paths.some(('],
  ['exceptions apply in spite of a limit', "if (paths.some(({ limit }) => limit)) return 'limit';", ''],
  ['an exception takes out every rule', 'exception.rules.has(rule.id)', 'true'],
  ['exceptions never apply', 'exception.rules.has(rule.id)', 'false'],
]);

const hostNames = mutantsOf('engine/host-name.ts', [
  ['a port counts', ".replace(/:[0-9]*$/, '')", ''],
  ['a port needs digits', ':[0-9]*$', ':[0-9]+$'],
  ['letters are a port', ':[0-9]*$', ':.*$'],
  ['a final dot counts', ".replace(/\\.$/, '')", ''],
  ['all final dots are dropped', '\\.$/', '\\.+$/'],
  ['everything is a name', "/[^A-Za-z0-9_.-]/.test(name) ? '' : ", ''],
  ['a colon is part of a name', '[^A-Za-z0-9_.-]', '[^A-Za-z0-9_.:-]'],
  ['a bracket is part of a name', '[^A-Za-z0-9_.-]', '[^A-Za-z0-9_.[-]'],
  ['the host of a request has a case', 'name.toLowerCase()', 'name'],
]);

const matching = [
  ...mutantsOf('engine/matcher.ts', [
    ['only one final slash is removed', "stripEnd(candidate, '/')", 'candidate.slice(0, -1)'],
    ['no final slash is removed', "candidate.endsWith('/') ?", '(false as boolean) ?'],
    ['the last rule that matches decides', 'of prefilter(candidate)) {', 'of [...prefilter(candidate)].reverse()) {'],
    ['rules that are off match', ' && !isOff(rule)', ''],
  ]),
  ...mutantsOf('contract/regex/prefilter.ts', [
    ['rules without literals are never tried', 'literals.length === 0 || literals.some(', 'literals.some('],
    ['literals have a case', 'text.toLowerCase()', 'text'],
    ['texts have no start', 'textStart + text', 'text'],
    ['texts have no end', '.toLowerCase() + textEnd', '.toLowerCase()'],
  ]),
];

const shorterReadings = mutantsOf('engine/matcher.ts', [
  ['values have path info', "kind === 'path' ? ", 'true ? '],
  ['a capital begins no folder', '(?![A-Z][a-z])', ''],
  ['a capital begins a folder only', '(?![A-Z][a-z])', '(?![A-Z])'],
  ['an extension may be empty', '[^./]+\\/', '[^./]*\\/'],
  ['one more file is read', 'files.length === limits', 'files.length > limits'],
  ['slashes only have a shorter reading', " || bare === ''", ''],
]);

export const verdictMutants: readonly Mutant[] = [
  ...evaluation,
  ...rules,
  ...builtIn,
  ...compiled,
  ...exceptions,
  ...hostNames,
  ...matching,
  ...shorterReadings,
];
