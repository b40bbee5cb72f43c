/** One policy for each step of an evaluation, and policies with random patterns. */
import type { PolicyFile } from '../../contract/policy/schema.ts';
import type { Random } from './random.ts';

const policyOfAllKeys: PolicyFile = {
  methods: ['*'],
  builtinRules: 'extended',
  checkQuery: true,
  checkBody: true,
  checkHeaders: ['X-Original-URL', 'X_Rewrite_URL', 'Cookie'],
};

const fixedPolicies: readonly PolicyFile[] = [
  {},
  { checkQuery: true },
  policyOfAllKeys,
  { ...policyOfAllKeys, maxBodyBytes: 60 },
  { ...policyOfAllKeys, bodyOverflow: 'block' },
  { ...policyOfAllKeys, bodyOverflow: 'block', maxBodyBytes: 200, enableDefaultPatterns: false },
  { ...policyOfAllKeys, enableDefaultPatterns: false, blockPatterns: ['\\.\\./', '%0[0-9A-F]', '(?i)passwd$'] },
  { ...policyOfAllKeys, enableDefaultAllowPatterns: false, allowPatterns: ['^/static', '(?i)\\.css$'] },
  {
    ...policyOfAllKeys,
    disabledRules: ['env-file', 'trav-dotdot'],
    rules: [{ id: 'own', action: 'block', pattern: 'a', targets: ['query'] }],
  },
  {
    ...policyOfAllKeys,
    rules: [
      { id: 'let', action: 'allow', pattern: '^/etc', targets: ['path'] },
      { id: 'body-only', action: 'block', pattern: '^/', targets: ['body'] },
    ],
  },
  {
    ...policyOfAllKeys,
    rules: [
      {
        id: 'line',
        action: 'block',
        pattern: '(?i)env|%[89A-F][0-9A-F]$',
        targets: ['header:x_original_url', 'header:Cookie'],
      },
      { id: 'known', action: 'allow', pattern: '/static|^[a-z]', targets: ['header:x-original-url', 'path'] },
    ],
    exceptions: [{ rules: ['line'], path: '^/static' }],
  },
  {
    ...policyOfAllKeys,
    exceptions: [
      { rules: ['env-file', 'block[0]'], path: '^/static', hosts: ['*.example.org'] },
      { rules: ['trav-dotdot'], path: '/' },
    ],
    blockPatterns: ['config'],
  },
  {
    ...policyOfAllKeys,
    exceptions: [{ rules: ['env-file', 'sql-file', 'hidden-seg', 'trav-dotdot'], path: '^/static' }],
    allowPatterns: ['^/static/(?:etc|config|a|B)'],
  },
  {
    ...policyOfAllKeys,
    applications: ['nextcloud', 'gitea', 'mediawiki', 'discourse', 'redmine', 'phpmyadmin'],
  },
  {
    ...policyOfAllKeys,
    applications: [
      { name: 'gitlab', basePath: '/static', hosts: ['*.example.org'] },
      { name: 'jenkins', basePath: '/a/b.c/' },
      'registry',
    ],
  },
  {
    ...policyOfAllKeys,
    trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
    exceptions: [
      { rules: ['env-file', 'hidden-seg'], path: '/', clients: ['10.0.0.0/24', '2001:db8::/32', '8.8.8.8/31'] },
      { rules: ['trav-dotdot', 'sql-file'], path: '/', hosts: ['*.example.org'], clients: ['private'] },
    ],
  },
  { allowedIps: ['10.0.0.0/24', '2001:db8::/32'], trustedProxies: ['127.0.0.1', '10.0.0.0/8'] },
  { allowedIps: ['8.8.8.8/31'], trustedProxies: ['0.0.0.0/0', '::/0'] },
  { exploits: 'paths' },
  { exploits: 'all' },
  { ...policyOfAllKeys, exploits: 'all', methods: ['PUT', 'POST'], maxBodyBytes: 80 },
  { ...policyOfAllKeys, exploits: 'paths', allowPatterns: ['^/static'], methods: ['PUT'] },
  { enabled: false },
  { methods: ['POST', 'get'] },
];

/** Policies whose guards have a ban list. Clients reach them through no proxy, through one, and through a preset. */
const policiesWith = (banList: PolicyFile['banList']): readonly PolicyFile[] => [
  { banList },
  { ...policyOfAllKeys, banList, trustedProxies: ['127.0.0.1', 'private', 'cloudflare'], methods: ['PUT'] },
  { banList, trustedProxies: ['127.0.0.1', '10.0.0.0/8'], allowedIps: ['8.8.4.4', '10.0.0.8'], allowPatterns: ['.'] },
  { banList, trustedProxies: ['private'], exploits: 'paths', enabled: false },
];

const atoms = [
  '/',
  '\\.',
  'e',
  'n',
  'v',
  'a',
  'k',
  's',
  '.',
  '%',
  '2',
  '[a-e]',
  '[^/]',
  '[^a-z.]',
  '\\d',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\x2e',
  '[[:alpha:]]',
  '[.;%]',
  '[\\w-]',
  '-',
  '_',
  ' ',
];
const quantifiers = ['', '', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}?', '{2,}', '+?'];
const assertions = ['^', '$', '\\b', '\\B', '\\A', '\\z'];

function sequence(random: Random, depth: number): string {
  const part = () => {
    if (random.oneIn(12)) return random.pick(assertions);
    const isGroup = depth > 0 && random.oneIn(4);
    const atom = isGroup
      ? `${random.pick(['(', '(?:', '(?i:', '(?-i:'])}${alternation(random, depth - 1)})`
      : random.pick(atoms);
    return atom + random.pick(quantifiers);
  };
  return random.several(1, 5, part).join('');
}

function alternation(random: Random, depth: number): string {
  return random.several(1, 3, () => sequence(random, depth)).join('|');
}

/** A random pattern of the grammar in contract/regex. */
export function randomPattern(random: Random): string {
  return (random.oneIn(3) ? '(?i)' : '') + alternation(random, 2);
}

function randomPolicy(random: Random): PolicyFile {
  return {
    ...policyOfAllKeys,
    bodyOverflow: random.pick(['pass', 'block']),
    enableDefaultPatterns: random.oneIn(2),
    blockPatterns: random.several(1, 4, () => randomPattern(random)),
    allowPatterns: random.several(0, 2, () => randomPattern(random)),
  };
}

/** Policies with a ban list are left out without the path of one. */
export function policies(random: Random, count: number, file?: string): PolicyFile[] {
  return [
    ...fixedPolicies,
    ...(file === undefined ? [] : policiesWith({ file })),
    ...Array.from({ length: count }, () => randomPolicy(random)),
  ];
}
