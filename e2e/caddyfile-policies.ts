/** Policies that a Caddyfile has to carry, and texts that Caddyfiles are known to change. */

/** Each means something to the lexer of Caddyfiles, to its variables, or to its placeholders. */
export const hostileTexts: readonly string[] = [
  ' ',
  ' a  b ',
  '"',
  '"quoted"',
  '`',
  '`a` "b" \\',
  '\\',
  '\\\\',
  '\\"',
  '`\\"',
  'a\\',
  '`a\\',
  '{',
  '}',
  '{}',
  '{ }',
  '# no comment',
  'a # b',
  '<<END',
  '<<END\nEND',
  'a\nb',
  'a\r\nb',
  '`a\r\n"b"\\',
  '\tindented\n\t\tmore',
  '{$HOME}',
  '{$A:b}',
  '{$',
  '${A}',
  '{env.HOME}',
  '{$:{$}',
  '{host} and {path}',
  '{http.request.host}',
  '{header.X-A}',
  '{query.a} {re.b.1} {vars.c} {%path} {?query} {orig_?query}',
  '{{host}}',
  '{block}',
  '{blocks.a}',
  '{args[0]} {args.0}',
  '{guard.brace}',
  '{guard.backquote}`{guard.brace}',
  'import /etc/passwd',
  'import',
  '@matcher',
  '(snippet)',
  'é ü 漢字 \u{1f600}',
  '\u00a0\u2028\ufeff',
  '\u0000\u0001\u001b[31m\u007f',
  '{"error":{"code":403,"list":[]}}',
  '<style>p{color:red} a{b}</style>',
  'long '.repeat(99),
];

const patterns = [
  '(?i)^/internal/',
  '\\.env$',
  '`',
  '"',
  '\\\\"',
  '`\\"',
  '#',
  ' ',
  '\\{host\\}',
  '\\{host}',
  'a{2,3}',
];

/** A policy with every key away from its default. */
const everything = {
  enabled: false,
  mode: 'detect',
  debug: true,
  securityLog: false,
  securityLogFile: '/var/log/guard events.jsonl',
  enableDefaultPatterns: false,
  enableDefaultAllowPatterns: false,
  disabledRules: ['env-file'],
  blockPatterns: ['(?i)^/internal/', '`"\\\\$'],
  allowPatterns: ['^/static/docs/'],
  rules: [
    { id: 'no-map', action: 'block', pattern: '\\.map$', targets: ['path'], description: 'source maps' },
    { id: 'docs', action: 'allow', pattern: '^/docs/' },
  ],
  exceptions: [
    { rules: ['no-map', 'block[0]'], path: '^/maps/', hosts: ['a.example', '*.b.example'] },
    { rules: ['no-map'], path: '^/m/' },
  ],
  allowedIps: ['192.0.2.0/24', '2001:db8::1'],
  trustedProxies: ['10.0.0.0/8'],
  secret: '${GUARD_SECRET}',
  methods: ['GET', 'POST'],
  checkQuery: true,
  checkBody: true,
  maxBodyBytes: 1024,
  checkHeaders: ['X-Original-URL', 'X-Rewrite-URL'],
  response: {
    mode: 'text',
    statusCode: 418,
    body: 'no',
    contentType: 'text/plain; charset=ascii',
    headers: { 'X-Why': 'because', 'X-Empty': '' },
    redirectUrl: '/elsewhere?a=b',
    proxyUrl: 'http://127.0.0.1:9000/x',
    gzipBombMb: 1,
    retryAfterSeconds: 1,
    tarpitDelayMs: 10,
    tarpitMaxDurationSeconds: 1,
    streamSizeMb: 1,
    maxResponseSeconds: 1,
    captcha: {
      provider: 'captcha-b',
      siteKey: '<SITE_KEY>',
      secretKey: '${CAPTCHA_SECRET}',
      passMinutes: 1,
      title: 'Hello there',
      verifyUrl: 'https://captcha.example/verify',
    },
    maxHeld: 1,
    maxHeldPerAddress: 1,
  },
};

const each = (key: 'response' | 'top', fields: object): Record<string, object> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      return key === 'top' ? [name, { [name]: value }] : [`response.${name}`, { response: { [name]: value } }];
    }),
  );

const { exceptions, response, ...alone } = everything;
const { captcha, ...responseKeys } = response;

/** By what they are about. */
export const policies = {
  'nothing but defaults': {},
  'everything at once': everything,
  exceptions: { blockPatterns: ['x'], exceptions: [{ rules: ['block[0]'], path: '`"\\{host}' }] },
  ...each('top', alone),
  ...each('response', responseKeys),
  captcha: { response: { captcha: { provider: 'recaptcha', siteKey: '`{$HOME}"', title: '{host} `\\"' } } },
  'every pattern': { blockPatterns: patterns, allowPatterns: patterns },
  'all methods': { methods: ['*'] },
  'long lists': {
    allowedIps: Array.from({ length: 300 }, (_, index) => `10.0.${index >> 8}.${index & 255}`),
    methods: Array.from({ length: 40 }, (_, index) => `METHOD-${index}`),
  },
  'a header named like a directive': { response: { headers: { import: 'a', '#x': '`', "'y'": '{path}' } } },
  'a file path with quotes': { securityLogFile: '/var/log/a "b" `c` \\d {$HOME}' },
};
