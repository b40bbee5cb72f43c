import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Policy, type PolicyFile } from '../../../contract/policy/schema.ts';
import { generateNginx, mainDirectives } from '../../generate/nginx.ts';
import { validateNginx } from './validate.ts';

const init = (policy = '') => `init_by_lua_block { require("guard").init({ ${policy} }) }`;
const check = 'rewrite_by_lua_block { require("guard").check() }';
const good = 'rewrite_by_lua_no_postpone on; lua_regex_match_limit 100000; large_client_header_buffers 4 32k;';
const server = 'server { listen 80; server_name a.example; location / { root /srv; } }';

const kinds = (text: string): string[] => {
  const { problems, warnings } = validateNginx(text);
  return [...problems, ...warnings].map(({ kind, path }) => `${kind} ${path}`.trim());
};
const inHttp = (...parts: string[]): string => `http {\n${parts.join('\n')}\n}\n`;

const named = ['g.init({ a = { 1, "x" } }, "a")', `g.init(read("p", 1), 'b')`, 'g.init({ body = "init({})" }, [[c]])'];
const unnamed = [
  'g.init({})',
  'g.init { mode = "detect" }',
  'g.init({ a = f(1, "x") })',
  'pcall(g.init, {})',
  'g.init({}, name)',
];

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ['nothing wrong', inHttp(good, init(), check, server), []],
  ['no policy', inHttp(good, check, server), ['no_policy']],
  ['init of something else', inHttp(good, 'init_by_lua_block { require("cjson") }', check, server), ['no_policy']],
  ['a policy in a file', inHttp(good, 'init_by_lua_file guard.lua;', check, server), []],
  ['no hook', inHttp(good, init(), server), ['not_inspected server a.example']],
  [
    'a hook without the guard for all servers',
    inHttp(good, init(), 'rewrite_by_lua_block { ngx.ctx.a = 1 }', server),
    ['not_inspected server a.example'],
  ],
  ['a hook in a file', inHttp(good, init(), 'rewrite_by_lua_file x.lua;', server), []],
  [
    'a hook of a location in a file',
    inHttp(good, init(), check, 'server { location /x { rewrite_by_lua_file x.lua; } }'),
    ['hook_in_file location /x of server without a name'],
  ],
  [
    'a commented call of the guard',
    inHttp(
      good,
      init(),
      'rewrite_by_lua_block { -- require("guard").check()\n --[[ guard.check() ]] ngx.ctx.x = "--" }',
      server,
    ),
    ['not_inspected server a.example'],
  ],
  [
    'a commented policy',
    inHttp(good, 'init_by_lua_block { -- require("guard").init({})\n }', check, server),
    ['no_policy'],
  ],
  [
    'a string that looks like a comment',
    inHttp(good, init(), 'rewrite_by_lua_block { local a = "--" require("guard").check() }', server),
    [],
  ],
  [
    'a response before the guard',
    inHttp(good, init(), 'rewrite_by_lua_block { if ngx.var.arg_x then return end require("guard").check() }', server),
    ['not_first rewrite_by_lua_block'],
  ],
  [
    'a call in a second phase',
    inHttp(good, init(), check, 'server { access_by_lua_block { require("guard").check() } }'),
    ['other_phase access_by_lua_block'],
  ],
  ['small buffers', inHttp(good.replace('32k', '8k'), init(), check, server), ['setting large_client_header_buffers']],
  [
    'no limit for patterns',
    inHttp(good.replace('100000', '0'), init(), check, server),
    ['setting lua_regex_match_limit'],
  ],
  [
    'a mode that holds requests',
    inHttp(good, init('response = { mode = "tarpit" }'), check, server),
    ['setting lua_shared_dict', 'setting lua_check_client_abort'],
  ],
  [
    'a mirror by name',
    inHttp(
      good,
      'lua_shared_dict guard 1m; lua_check_client_abort on;',
      init('response = { mode = "proxy", proxy_url = "https://honeypot.example/" }'),
      check,
      server,
    ),
    ['setting resolver', 'setting lua_ssl_trusted_certificate'],
  ],
  [
    'a mirror by address',
    inHttp(
      good,
      'lua_shared_dict guard 1m; lua_check_client_abort on;',
      init('response = { mode = "proxy", proxy_url = "http://[::1]:80/" }'),
      check,
      server,
    ),
    [],
  ],
  ['a hidden variable', inHttp(good, init('secret = "${A}"'), check, server), ['environment ${A}']],
  ['a variable that Lua can read', `env A;\n${inHttp(good, init('secret = "${A}"'), check, server)}`, []],
  ['a variable with a value', `env A=x;\n${inHttp(good, init('secret = "${A}"'), check, server)}`, []],
  [
    'a policy name that is not defined',
    inHttp(good, init(), 'rewrite_by_lua_block { require("guard").check("b") }', server),
    ['unknown_policy rewrite_by_lua_block'],
  ],
  [
    'a policy name that is defined',
    inHttp(good, 'init_by_lua_block { require("guard").init({}, "b") }', check.replace('()', '("b")'), server),
    [],
  ],
  [
    'no policy for a call without a name',
    inHttp(good, 'init_by_lua_block { require("guard").init({ mode="enforce" }, "site") }', check, server),
    ['unknown_policy rewrite_by_lua_block'],
  ],
  [
    'no policy for a call without a name, beside policies whose text looks like another call',
    inHttp(good, `init_by_lua_block { local g = require("guard") ${named.join(' ')} }`, check, server),
    ['unknown_policy rewrite_by_lua_block'],
  ],
  ...unnamed.map(
    (lua) =>
      [
        `a policy without a name, as far as ${lua} shows`,
        inHttp(good, `init_by_lua_block { local g = require("guard") ${named[0]} ${lua} }`, check, server),
        [],
      ] as const,
  ),
  ['no http block', 'events {}', ['syntax']],
];

describe('findings in an nginx configuration', () => {
  for (const [name, text, expected] of cases) it(name, () => assert.deepEqual(kinds(text), expected));
});

describe('the generated configuration', () => {
  const files: readonly PolicyFile[] = [
    {},
    { secret: '${GUARD_SECRET}', response: { mode: 'tarpit', body: '} "]] {' } },
    { response: { mode: 'captcha', captcha: { provider: 'turnstile', siteKey: 'x', secretKey: '${CAPTCHA}' } } },
  ];
  for (const file of files)
    it(`has no findings with ${JSON.stringify(file).slice(0, 60)}`, () => {
      const policy = Policy.parse(file);
      const above = mainDirectives([policy]).map(({ text }) => text);
      const text = generateNginx(policy).replace('# resolver', 'resolver');
      assert.deepEqual(kinds(`${above.join('\n')}\n${inHttp(text, server)}`), []);
    });
});

describe('parsing an nginx configuration', () => {
  it('reports lines of the dump, also for included files', () => {
    const dump = [
      '# configuration file /etc/nginx/nginx.conf:',
      `http { ${good} ${init()} include sites/*.conf; }`,
      '',
      '# configuration file /etc/nginx/sites/a.conf:',
      '# { a comment',
      'server {',
      '  server_name "a;b"; # "',
      '}',
      '# configuration file /etc/nginx/other/b.conf:',
      'server { server_name never-included; }',
      'nginx: configuration file /etc/nginx/nginx.conf test is successful',
    ].join('\n');
    const { problems, summary } = validateNginx(dump);
    assert.deepEqual(
      problems.map(({ line, path }) => [line, path]),
      [[6, 'server a;b']],
    );
    assert.equal(summary.servers, 1);
    assert.match(problems[0]?.message ?? '', / \(\/etc\/nginx\/sites\/a\.conf:2\)$/);
  });

  it('finds the end of Lua that contains braces, strings and comments', () => {
    const lua = [
      `local a = "}" .. '}' .. [[ } ]] .. [==[ ]] } ]==] -- }`,
      '--[[ } ]] --[=[ ]] } ]=]',
      'if a then b = {} end',
    ];
    assert.deepEqual(
      kinds(inHttp(good, `init_by_lua_block { ${lua.join('\n')}\n require("guard").init({}) }`, check, server)),
      [],
    );
  });

  it('splits words like nginx', () => {
    const odd = 'location ~ "^/a{2}\\d;$" { set $b "x\\"y{"; set $c ${d}e; set $f a\\;b; return 204 \'}\'; }';
    const { summary, problems } = validateNginx(inHttp(good, init(), check, `server { ${odd} }`));
    assert.deepEqual([summary.locations, problems], [1, []]);
  });
});

describe('long nginx configurations', () => {
  // Searching the whole server for each of them would take quadratic time and time out.
  for (const [what, block] of [
    ['locations', 'location /a { root /srv; }'],
    ['conditions', 'if ($a) { set $b c; }'],
  ] as const)
    it(`checks many ${what} of one server`, () => {
      const { summary, problems } = validateNginx(
        inHttp(good, init(), check, `server {\n${`${block}\n`.repeat(100_000)}}`),
      );
      assert.deepEqual([summary, problems], [{ servers: 1, locations: 100_000, inspected: 100_001 }, []]);
    });

  it('reads Lua that mentions the guard often and does not call it', () => {
    const lua = `-- ${'guard '.repeat(1_000_000)}\n x = "${'guard '.repeat(1_000_000)}"`;
    assert.deepEqual(kinds(inHttp(good, init(), `rewrite_by_lua_block { ${lua} }`, server)), [
      'not_inspected server a.example',
    ]);
  });

  it('reads many calls in each other', () => {
    const lua = `${'require("guard").init('.repeat(100_000)}${')'.repeat(100_000)}`;
    assert.deepEqual(kinds(inHttp(good, `init_by_lua_block { ${lua} }`, check, server)), []);
  });

  it('reads Lua in which nothing has an end', () => {
    const lua = `x = ${'[=['.repeat(500_000)}`;
    assert.deepEqual(kinds(inHttp(good, init(), `rewrite_by_lua "${lua}";`, server)), [
      'not_inspected server a.example',
    ]);
  });
});

const broken: readonly (readonly [string, number, RegExp])[] = [
  ['http {\n  a b\n}', 2, /"a" does not end with/],
  ['http {\n', 1, /a block is not closed/],
  ['}', 1, /unexpected "}"/],
  ['http {}\n;', 2, /unexpected ";"/],
  ['http {\n a "b;\n}', 2, /a quote is not closed/],
  ['http {\n a "b"c;\n}', 2, /unexpected text after a quote/],
  ['http {\n init_by_lua_block {\n a = "}"\n', 2, /a block of Lua is not closed/],
  ['', 1, /no http block/],
  ['a {\n'.repeat(100_000), 65, /blocks are nested deeper than 64/],
  // Searching to the end of the text for each of them would take quadratic time and time out.
  ...['[=["', '--[[\n', '\\"'].map((part): [string, number, RegExp] => [
    `http {\n init_by_lua_block {\n x = ${part.repeat(500_000)}`,
    2,
    /a block of Lua is not closed/,
  ]),
];

describe('a broken nginx configuration', () => {
  for (const [text, line, message] of broken)
    it(`reports where ${JSON.stringify(text.slice(0, 60))} breaks`, () => {
      const [problem] = validateNginx(text).problems;
      assert.equal(problem?.line, line);
      assert.match(problem?.message ?? '', message);
    });
});
