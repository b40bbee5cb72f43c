import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { checkUpgrade, startEcho } from '../../support/upgrade.ts';
import { bytesOf, type Message, startGuarded, statusOf } from './guarded.ts';
import { answersIn, exchangeBytes, open } from './respond/wire.ts';

const post = { methods: ['GET', 'POST'], checkBody: true };
const dashedName = `x${'-a'.repeat(31)}`;
const policies = {
  default: { checkHeaders: ['X-Original-URL', 'X-Rewrite-URL'] },
  post: { ...post, maxBodyBytes: 100_000 },
  short: { ...post, maxBodyBytes: 10 },
  strict: { ...post, maxBodyBytes: 10, bodyOverflow: 'block' },
  unread: { methods: ['*'] },
  agents: {
    rules: [{ id: 'agent', action: 'block', pattern: '^evil', targets: ['header:user-agent', 'header:x-my-agent'] }],
  },
  known: { checkHeaders: ['User-Agent'] },
  odd: { rules: [{ id: 'odd', action: 'block', pattern: '^evil', targets: ['header:-x-odd-'] }] },
  exploits: { exploits: 'all' },
  both: { ...post, exploits: 'all' },
  dashed: { rules: [{ id: 'dashed', action: 'block', pattern: '^evil', targets: [`header:${dashedName}`] }] },
};
const attack = 'x=../../../etc/passwd';
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const ofForm = (body: string): Message => ({ method: 'POST', policy: 'post', headers: [form], body });
const padded = (bytes: number, text: string): string => `pad=${'a'.repeat(bytes)}&${text}`;

test('bodies', async (t) => {
  const nginx = await startGuarded(t, { policies });
  const cases: readonly (readonly [string, number, Message])[] = [
    ['in memory, hostile', 403, ofForm(attack)],
    ['in memory, clean', 200, ofForm('x=1')],
    ['in a file, hostile', 403, ofForm(padded(60_000, attack))],
    ['in a file, clean', 200, ofForm(padded(60_000, 'x=1'))],
    ['hostile behind what is inspected', 200, ofForm(padded(110_000, attack))],
    ['hostile behind ten bytes', 200, { ...ofForm(padded(6, attack)), policy: 'short' }],
    ['longer than nginx takes', 413, ofForm(padded(3_000_000, attack))],
    ['of another type', 200, { ...ofForm(attack), headers: [['Content-Type', 'image/png']] }],
    ['of plain text that looks like a form', 403, { ...ofForm(attack), headers: [['Content-Type', 'text/plain']] }],
    ['without a type', 403, { ...ofForm(attack), headers: [] }],
    ['without a type, clean', 200, { ...ofForm('x=1'), headers: [] }],
    ['longer than what is inspected', 403, { ...ofForm(padded(6, 'x=1')), policy: 'strict' }],
    ['as long as what is inspected', 200, { ...ofForm('x=12345678'), policy: 'strict' }],
    ['compressed', 403, { ...ofForm('x'), headers: [form, ['Content-Encoding', 'gzip']], policy: 'strict' }],
    ['that only claims to be compressed', 403, { ...ofForm(attack), headers: [form, ['Content-Encoding', 'gzip']] }],
    ['of a policy that reads none', 200, { ...ofForm(attack), policy: 'unread' }],
    [
      'JSON',
      403,
      { ...ofForm('{"file": "..\\/..\\/..\\/etc/passwd"}'), headers: [['Content-Type', 'application/json']] },
    ],
    ['none', 200, { method: 'POST', policy: 'post', headers: [form] }],
  ];
  for (const [name, status, message] of cases) assert.equal(await statusOf(nginx, message), status, name);

  await t.test('in chunks', async () => {
    const chunked = (body: string) =>
      exchangeBytes(
        nginx.port,
        `${bytesOf({ ...ofForm(''), headers: [form] }).replace('Content-Length: 0', 'Transfer-Encoding: chunked')}${body}`,
      );
    const chunks = (text: string) => [...text].map((letter) => `1\r\n${letter}\r\n`).join('');
    assert.match(await chunked(`${chunks(attack)}0\r\n\r\n`), /^HTTP\/1\.1 403 /);
    assert.match(await chunked(`${chunks('x=1')}0\r\n\r\n`), /^HTTP\/1\.1 200 /);
  });
  await t.test('is not waited for when the path has decided', async () => {
    const socket = await open(nginx.port);
    socket.write(bytesOf({ ...ofForm(attack), target: '/.env' }).slice(0, -attack.length));
    const [bytes] = await once(socket, 'data');
    assert.match(String(bytes), /^HTTP\/1\.1 403 /);
    socket.destroy();
  });
  await t.test('reaches the backend whole', async () => {
    const text = padded(60_000, 'x=1');
    const backend =
      'location /echo { content_by_lua_block { ngx.req.read_body() local f = ngx.req.get_body_file() ngx.print(f and #io.open(f):read("*a") or #ngx.req.get_body_data()) } }';
    const echo = await startGuarded(t, { policies, server: backend });
    const bytes = await exchangeBytes(echo.port, bytesOf({ ...ofForm(text), target: '/echo' }));
    assert.match(bytes, new RegExp(`\\n${text.length}\\r\\n|\\r\\n${text.length}$`));
  });
});

const json = ['Content-Type', 'application/json'] as const;
/** Bodies that rows about exploits name, by Content-Type, and bodies without a match. */
const exploits: readonly (readonly [string, number, readonly [string, string], string])[] = [
  ['a form', 403, form, '0x[]=androxgh0st'],
  ['a form with escapes', 403, form, '0x%5B%5D=%61ndroxgh0st'],
  ['a form with escapes of escapes', 403, form, '0x%255B%255D=androxgh0st'],
  ['a form with bytes that are not printable', 403, form, 'a=\x01&0x[]=androxgh0st'],
  ['a form, clean', 200, form, '0x[]=value&b=hello+world%21'],
  ['a form with escapes of escapes, clean', 200, form, 'a=%2521'],
  ['JSON', 403, json, '{"@type":"com.sun.rowset.JdbcRowSetImpl"}'],
  ['JSON with escapes', 403, json, '{"@type":"\\u0063om.sun.rowset.JdbcRowSetImpl"}'],
  ['JSON with lines', 403, json, '{\n"@type": "com.sun.rowset.JdbcRowSetImpl"\n}'],
  ['JSON, clean', 200, json, '{"a":"\\u0063om.sun","b":["\u00e9", "%41"]}'],
  ['XML, clean', 200, ['Content-Type', 'application/xml'], '<a>1</a>'],
];

for (const policy of ['exploits', 'both'])
  test(`bodies with exploits, and the policy ${policy}`, async (t) => {
    const nginx = await startGuarded(t, { policies });
    for (const [name, status, type, body] of exploits)
      assert.equal(await statusOf(nginx, { method: 'POST', policy, headers: [type], body }), status, name);
    const behind = { method: 'GET', policy: 'exploits', headers: [form], body: '0x[]=androxgh0st' };
    assert.equal(await statusOf(nginx, behind), 200, 'a method that no row names');
  });

test('types of bodies that are inspected completely, or blocked', async (t) => {
  const nginx = await startGuarded(t, { policies });
  const [name, type] = form;
  for (const [status, ...headers] of [
    [200, form],
    [200, [name, `${type}; charset=utf-8`]],
    [403, [name, `${type}; charset=utf-7`]],
    [403, form, [name, 'application/json']],
  ] as const)
    assert.equal(await statusOf(nginx, { ...ofForm('x=1'), headers, policy: 'strict' }), status, headers.join());
});

test('bodies that may not come', async (t) => {
  const nginx = await startGuarded(t, { policies });
  for (const policy of ['post', 'exploits', 'both'])
    await t.test(`of a stream is not waited for by the policy ${policy}`, async () => {
      const socket = await open(nginx.port);
      const stream = { ...ofForm('12345'), policy, headers: [['Content-Type', 'application/connect+json'] as const] };
      socket.write(bytesOf(stream).slice(0, -1));
      const [bytes] = await once(socket, 'data');
      assert.match(String(bytes), /^HTTP\/1\.1 200 /);
      socket.destroy();
    });
  await t.test('is not one behind an upgrade', async (one) => {
    const location = `location /chat {
      proxy_pass http://127.0.0.1:${await startEcho(one)};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
    }`;
    const proxy = await startGuarded(one, { policies, server: location });
    await checkUpgrade(one, proxy.port, ['X-Policy: post']);
  });
  await t.test('is refused in chunks of HTTP/1.0', async () => {
    const chunks = `${attack.length.toString(16)}\r\n${attack}\r\n0\r\n\r\n`;
    const head = bytesOf({ method: 'POST', policy: 'post', headers: [form] }).replace('HTTP/1.1', 'HTTP/1.0');
    const bytes = `${head.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n')}${chunks}`;
    assert.match(await exchangeBytes(nginx.port, bytes), /^HTTP\/1\.1 400 /);
  });
  await t.test('is sent for by a client that expects 100 Continue', async () => {
    const socket = await open(nginx.port);
    const [head = ''] = bytesOf({ ...ofForm(attack), headers: [form, ['Expect', '100-continue']] }).split(attack);
    socket.write(head);
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 100 /);
    socket.write(attack);
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 403 /);
    socket.destroy();
  });
});

test('headers', async (t) => {
  const nginx = await startGuarded(t, { policies, http: 'underscores_in_headers on;' });
  const many = Array.from({ length: 150 }, (_, index) => [`X-Header-${index}`, 'value'] as const);
  const hostile = ['X-Original-URL', '/.env'] as const;
  const cases: readonly (readonly [string, number, Message])[] = [
    ['clean', 200, { headers: [['X-Original-URL', '/fine']] }],
    ['hostile', 403, { headers: [hostile] }],
    ['behind 150 others', 403, { headers: [...many, hostile] }],
    ['before 150 others', 403, { headers: [hostile, ...many] }],
    [
      'the second of its name',
      403,
      {
        headers: [
          ['X-Original-URL', '/fine'],
          ['x-ORIGINAL-url', '/.env'],
        ],
      },
    ],
    ['spelt with underscores', 403, { headers: [['X_Original_URL', '/.env']] }],
    [
      'the second of the policy',
      403,
      {
        headers: [
          ['X-Original-URL', '/'],
          ['X-Rewrite-URL', '/.git/config'],
        ],
      },
    ],
    [
      'none of the policy',
      200,
      {
        headers: [
          ['X-Other', '/.env'],
          ['Referer', '/.env'],
        ],
      },
    ],
  ];
  for (const [name, status, message] of cases) assert.equal(await statusOf(nginx, message), status, name);
});

test('headers that rules name', async (t) => {
  const nginx = await startGuarded(t, { policies, http: 'underscores_in_headers on;' });
  const cases: readonly (readonly [string, number, Message])[] = [
    ['one, clean', 200, { policy: 'agents', headers: [['User-Agent', 'fine']] }],
    ['one, hostile', 403, { policy: 'agents', headers: [['User-Agent', 'evil']] }],
    [
      'two',
      403,
      {
        policy: 'agents',
        headers: [
          ['User-Agent', 'fine'],
          ['user-agent', 'evil'],
        ],
      },
    ],
    [
      'two of another name',
      403,
      {
        policy: 'agents',
        headers: [
          ['X-My-Agent', 'fine'],
          ['X-My-Agent', 'evil'],
        ],
      },
    ],
    ['with underscores', 403, { policy: 'agents', headers: [['User_Agent', 'evil']] }],
    ['with an underscore and a dash', 403, { policy: 'agents', headers: [['X_My-Agent', 'evil']] }],
    ['with underscores at its ends', 403, { policy: 'odd', headers: [['_X-Odd_', 'evil']] }],
    ['with a dash and an underscore at its ends', 403, { policy: 'odd', headers: [['-X-Odd_', 'evil']] }],
    ['with many dashes', 403, { policy: 'dashed', headers: [[dashedName, 'evil']] }],
    [
      'with many dashes and an underscore',
      403,
      { policy: 'dashed', headers: [[dashedName.replace('-', '_'), 'evil']] },
    ],
    ['of the policy, with underscores', 403, { policy: 'known', headers: [['User_Agent', '/.env']] }],
  ];
  for (const [name, status, message] of cases) assert.equal(await statusOf(nginx, message), status, name);
  await t.test('behind as many others as are read at once, and one more or less', async () => {
    for (const count of [60, 61, 62, 63, 64, 65, 66]) {
      const others = Array.from({ length: count }, (_, index) => [`X-Other-${index}`, 'a'] as const);
      const evil = { policy: 'agents', headers: [...others, ['User-Agent', 'evil'] as const] };
      assert.equal(await statusOf(nginx, evil), 403, `${count} others`);
      assert.equal(await statusOf(nginx, { policy: 'agents', headers: others }), 200, `${count} others alone`);
    }
  });
});

test('requests on one connection', async (t) => {
  const nginx = await startGuarded(t, { policies });
  const targets = ['/a', '/.env', '/b', '/.git/config', '/static/..%252f.env', '/c'];
  const bytes = targets.map((target, index) => bytesOf({ target }, index === targets.length - 1)).join('');
  const answers = answersIn(await exchangeBytes(nginx.port, bytes), ...targets.map(() => 'GET'));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 403, 200, 403, 403, 200],
  );
  assert.deepEqual(
    nginx.events().map(({ path }) => path),
    ['/.env', '/.git/config', '/static/..%252f.env'],
  );
});

test('old and odd requests', async (t) => {
  const nginx = await startGuarded(t, { policies });
  assert.match(await exchangeBytes(nginx.port, 'GET /.env HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 403 /);
  assert.match(await exchangeBytes(nginx.port, 'GET /fine HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  assert.match(
    await exchangeBytes(nginx.port, 'GET http://example.org/.env HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 403 /,
  );
  assert.equal(await statusOf(nginx, { method: 'DELETE', target: '/.env' }), 200);
  assert.equal(await statusOf(nginx, { method: 'DELETE', target: '/.env', policy: 'unread' }), 403);
});

test('the client is who the policy believes, not who nginx believes', async (t) => {
  const allowedIps = ['192.0.2.1'];
  const nginx = await startGuarded(t, {
    policies: { default: { allowedIps }, trusting: { allowedIps, trustedProxies: ['127.0.0.1'] } },
    http: 'set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;',
  });
  const forged = { target: '/.env', headers: [['X-Forwarded-For', '192.0.2.1']] } as const;
  assert.equal(await statusOf(nginx, forged), 403);
  assert.equal(nginx.events()[0]?.client_ip, '127.0.0.1');
  assert.equal(await statusOf(nginx, { ...forged, policy: 'trusting' }), 200);
  const further = [['X-Forwarded-For', '192.0.2.1, 2001:DB8::0001']] as const;
  assert.equal(await statusOf(nginx, { ...forged, headers: further, policy: 'trusting' }), 403);
  assert.equal(nginx.events()[1]?.client_ip, '2001:db8::1');
});

test('a Transfer-Encoding with a semicolon in its name frames no body, so that what follows is a request', async (t) => {
  const nginx = await startGuarded(t, {
    policies,
    server: 'location /sent { return 200 "$http_transfer_encoding\\n"; }',
  });
  const head = `POST /sent HTTP/1.1\r\nHost: example.com\r\nX-Policy: post\r\n${form.join(': ')}\r\nTransfer-Encoding;: chunked\r\n\r\n`;
  const statuses = (text: string) => [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
  const chunk = `${attack.length.toString(16)}\r\n${attack}\r\n0\r\n\r\n`;
  assert.deepEqual(statuses(await exchangeBytes(nginx.port, head + chunk)), ['200', '400']);
  assert.deepEqual(statuses(await exchangeBytes(nginx.port, head + bytesOf({ target: '/.env' }))), ['200', '403']);
});

test('an exception for a host applies where the target and the Host header name it', async (t) => {
  const exceptions = [{ rules: ['env-file', 'hidden-seg'], path: '^/downloads/', hosts: ['docs.example.com'] }];
  const backend = 'location /downloads/ { return 200 "$host $http_host\\n"; }';
  const nginx = await startGuarded(t, { policies: { default: { exceptions } }, server: backend });
  const path = '/downloads/.env';
  const rows: readonly (readonly [target: string, host: string, status: number])[] = [
    [path, 'docs.example.com', 200],
    [path, 'www.example.com', 403],
    [`http://docs.example.com${path}`, 'docs.example.com', 200],
    [`http://DOCS.example.com:8080${path}`, 'docs.example.com.', 200],
    [`http://docs.example.com${path}`, 'www.example.com', 403],
    [`http://www.example.com${path}`, 'docs.example.com', 403],
    [`http://docs.example.com:80${path}`, 'www.example.com:80', 403],
  ];
  for (const [target, host, status] of rows)
    assert.equal(await statusOf(nginx, { target, host }), status, `${target} ${host}`);
  const old = `GET http://docs.example.com${path} HTTP/1.0\r\n\r\n`;
  assert.match(await exchangeBytes(nginx.port, old), /^HTTP\/1\.1 403 /);
  assert.deepEqual(
    nginx.events().map(({ host }) => host),
    [
      'www.example.com',
      'docs.example.com www.example.com',
      'www.example.com docs.example.com',
      'docs.example.com:80 www.example.com:80',
      'docs.example.com ',
    ],
  );
});
