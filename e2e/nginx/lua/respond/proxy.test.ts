import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { freePort } from '../../../../platform/free-ports.ts';
import { until } from '../../../../platform/testing/until.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { type Replies, startTarget, type Target } from './target.ts';
import { answersIn, exchangeBytes, open, request } from './wire.ts';

const response = (head: string, body = '') => `HTTP/1.1 ${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`;

const replies: Replies = {
  headers: response(
    '207 Multi\nServer: honeypot\nLink: <a>\nWarning: a\nWarning: b\nSet-Cookie: a=b\nSet-Cookie2: c\nStrict-Transport-Security: max-age=1\n' +
      'Clear-Site-Data: "*"\nAlt-Svc: h3\nX-Accel-Redirect: /plain/other\nx-ACCEL-expires: 9\nX-Sendfile: /etc/passwd\n' +
      'Access-Control-Allow-Origin: *\nNEL: {}\nReport-To: {}\nRefresh: 0\nService-Worker-Allowed: /\n' +
      'Content-Security-Policy: default-src *\nContent-Security-Policy: report-uri /x\nConnection: close, X-Hop\nX-Hop: 1\nKeep-Alive: 5\nCache-Control: public\n' +
      'X-Own: target\nContent-Length: 2',
    'ok',
  ),
  underscores: response(
    '200 OK\nSet_Cookie: a=b\nTransfer_Encoding: chunked\nContent_Length: 9\nContent-Length: 2',
    'ok',
  ),
  chunked: response(
    '200 OK\nTransfer-Encoding: chunked\nContent-Length: 3',
    '3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX-Accel-Redirect: /plain/other\r\n\r\n',
  ),
  closing: response('200 OK', 'until the end'),
  interim: `${response('103 Early Hints\nLink: <c>\nX-Accel-Redirect: /plain/other')}${response('200 OK\nContent-Length: 4', 'last')}`,
  unchanged: response('304 Not Modified\nContent-Length: 7'),
  redirect: response('302 Found\nLocation: http://127.0.0.1:1/elsewhere\nContent-Length: 0'),
  dead: null,
  garbage: 'SSH-2.0-OpenSSH\r\n\r\n',
  switching: response('101 Switching Protocols\nUpgrade: x'),
  zero: response('000 None\nContent-Length: 2', 'hi...'),
  below: response('099 None\nContent-Length: 2', 'hi...'),
  unfinished: `${response('103 Early Hints').repeat(3000)}${response('200 OK\nContent-Length: 0')}`,
  odd: response('999 Odd\nContent-Length: 2', 'hi'),
  malformed: response('200 OK\nno colon'),
  coding: response('200 OK\nTransfer-Encoding: gzip, chunked', '0\r\n\r\n'),
  lengths: response('200 OK\nContent-Length: 1\nContent-Length: 2', 'ab'),
  long: response(`200 OK\nX: ${'x'.repeat(70_000)}`),
  silent: '',
  half: `${response('200 OK\nContent-Length: 9', 'half')}...`,
  short: response('200 OK\nContent-Length: 9', 'half'),
  broken: response('200 OK\nTransfer-Encoding: chunked', '5\r\nhalf'),
};

interface Site {
  readonly nginx: Nginx;
  readonly target: Target;
}

async function startSite(t: TestContext, http = ''): Promise<Site> {
  const [target, dead] = [await startTarget(t, replies), await freePort()];
  const to = (proxyUrl: string, more = {}) =>
    ({ response: { mode: 'proxy', proxyUrl, headers: { 'x-own': 'yes' }, ...more } }) as const;
  const url = `http://127.0.0.1:${target.port}`;
  const policies = {
    plain: to(url),
    based: to(`${url}/base/?lost=1`),
    quick: to(url, { maxResponseSeconds: 1 }),
    single: to(url, { maxHeld: 1 }),
    patient: to(url, { maxResponseSeconds: 5 }),
    dead: to(`http://127.0.0.1:${dead}`),
    named: to('http://honeypot.example/'),
  };
  return { nginx: await startNginx(t, { policies, http }), target };
}

const get = (site: Site, path: string, ...headers: string[]): Promise<string> =>
  exchangeBytes(site.nginx.port, request('GET', path, 'Connection: close', ...headers));

const held = async ({ nginx }: Site): Promise<number> =>
  Number(await (await fetch(`http://127.0.0.1:${nginx.port}/held`)).text());

/** Returns the last request that the target received, with its header lines sorted. */
function lastHead({ target }: Site): { line: string; headers: string[]; body: string } {
  const text = target.requests.at(-1) ?? assert.fail('the target was not asked');
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...headers] = text.slice(0, end).split('\r\n');
  return { line, headers: headers.toSorted(), body: text.slice(end + 4) };
}

const marks = (site: Site, host: string): string[] => [
  'Connection: close',
  `Host: 127.0.0.1:${site.target.port}`,
  'X-Forwarded-For: 127.0.0.1',
  `X-Forwarded-Host: ${host}`,
  'X-Forwarded-Proto: http',
  'X-Guard-Proxied: 1',
  'X-Guard-Reason: block_pattern_match',
];

test('what the target gets', async (t) => {
  const site = await startSite(t, 'underscores_in_headers on;');
  const { port } = site.nginx;
  await t.test('neither keys of the site nor what the client says of its way', async () => {
    await get(site, '/plain/a%2fb//.env?x=%20&y', 'Cookie: a=b', 'Authorization: c', 'Proxy-Authorization: d', 'X-Api-Key: i', 'X_Api_Key: j', 'x-CSRF-token: k',
      'X-Amz-Security-Token: l', 'X-Amz-Security-Token: m', 'Ocp-Apim-Subscription-Key: n', 'X-Forwarded-For: e',
      'X-Forwarded-Port: 1', 'Forwarded: f', 'Via: g', 'TE: trailers', 'Upgrade: h', 'User-Agent: scanner', 'Accept: */*'); // biome-ignore format: pairs
    const { line, headers } = lastHead(site);
    assert.equal(line, 'GET /plain/a%2fb//.env?x=%20&y HTTP/1.1');
    assert.deepEqual(headers, [...marks(site, 'example.com'), 'Accept: */*', 'User-Agent: scanner'].toSorted());
  });
  await t.test('nothing that Connection names', async () => {
    await exchangeBytes(port, request('GET', '/plain/.env', 'Connection: close, X-Named', 'X-Named: 1'));
    assert.deepEqual(lastHead(site).headers, marks(site, 'example.com'));
  });
  await t.test('the path behind that of the policy, whatever form the target has', async () => {
    await exchangeBytes(port, request('GET', 'http://example.com/based/.env?q', 'Connection: close'));
    assert.equal(lastHead(site).line, 'GET /base/based/.env?q HTTP/1.1');
  });
  for (const [name, body] of [
    ['small', 'a body'],
    ['large', 'x'.repeat(300_000)],
  ] as const)
    await t.test(`a ${name} body, however it is framed`, async () => {
      await exchangeBytes(
        port,
        request('PUT', '/plain/.env', 'Connection: close', `Content-Length: ${body.length}`) + body,
      );
      const whole = lastHead(site);
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      await exchangeBytes(
        port,
        request('PUT', '/plain/.env', 'Connection: close', 'Transfer-Encoding: chunked') + chunks,
      );
      assert.ok(whole.headers.includes(`Content-Length: ${body.length}`));
      assert.deepEqual(lastHead(site), whole);
      assert.equal(whole.body, body);
    });
  await t.test('a body over HTTP/2', async () => {
    const session = connect(`http://127.0.0.1:${site.nginx.http2Port}`);
    const stream = session.request({ ':path': '/plain/.env', ':method': 'POST', cookie: 'a=b' });
    stream.end('over 2');
    const [head] = await once(stream, 'response');
    session.destroy();
    assert.equal(head[':status'], 200);
    const { line, body, headers } = lastHead(site);
    assert.deepEqual([line, body], ['POST /plain/.env HTTP/1.1', 'over 2']);
    assert.ok(!headers.some((header) => /^cookie/i.test(header)));
  });
});

const kept = [
  'Cache-Control: no-store',
  'Connection: close',
  'Content-Length: 2',
  'Content-Security-Policy: sandbox',
  'Server: honeypot',
  'Warning: a',
  'Warning: b',
  'X-Own: yes',
];

test('what the client gets', async (t) => {
  const site = await startSite(t);
  await t.test('nothing that would outlive the answer', async () => {
    const [head = '', body] = (await get(site, '/plain/headers')).split('\r\n\r\n');
    const [line, ...headers] = head.split('\r\n');
    assert.match(line ?? '', /^HTTP\/1.1 207/);
    assert.deepEqual(headers.filter((header) => !header.startsWith('Date: ')).toSorted(), kept);
    assert.equal(body, 'ok');
  });
  await t.test('no header that nginx would make another one of', async () => {
    const [head = '', body] = (await get(site, '/plain/underscores')).split('\r\n\r\n');
    assert.doesNotMatch(head, /Cookie|Transfer/i);
    assert.match(head, /^Content-Length: 2\r?$/m);
    assert.equal(body, 'ok');
  });
  for (const [path, body] of [
    ['chunked', '5\r\nabcde\r\n0'],
    ['closing', 'until the end'],
    ['interim', 'last'],
  ] as const)
    await t.test(`the body of an answer that is ${path}`, async () => {
      const bytes = await get(site, `/plain/${path}`);
      const plain = bytes
        .slice(bytes.indexOf('\r\n\r\n') + 4)
        .replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '')
        .trim();
      assert.equal(plain, body.replaceAll(/5\r\n|\r\n0/g, ''));
      assert.doesNotMatch(bytes, /Content-Length: 3|Early/);
    });
  await t.test('no body where there is none', async () => {
    assert.match(await get(site, '/plain/unchanged'), /^HTTP\/1.1 304 .*\r\n\r\n$/s);
    const head = await exchangeBytes(site.nginx.port, request('HEAD', '/plain/headers', 'Connection: close'));
    assert.match(head, /^HTTP\/1.1 207 .*\r\n\r\n$/s);
    assert.match(head, /^Content-Length: 2\r$/m);
  });
  await t.test('one answer for each request of a connection', async () => {
    const raw = `${request('POST', '/plain/headers', 'Content-Length: 3')}abc`;
    const bytes = await exchangeBytes(
      site.nginx.port,
      raw + raw + request('GET', '/plain/redirect', 'Connection: close'),
    );
    assert.deepEqual(
      answersIn(bytes, 'POST', 'POST', 'GET').map(({ status }) => status),
      [207, 207, 302],
    );
  });
  await t.test('a status without a meaning', async () => {
    assert.match(await get(site, '/plain/odd'), /^HTTP\/1.1 999 .*\r\n\r\nhi$/s);
  });
  await t.test('a redirect unchanged', async () => {
    assert.match(
      await get(site, '/plain/redirect'),
      /^HTTP\/1.1 302 .*\r\nLocation: http:\/\/127.0.0.1:1\/elsewhere\r\n/s,
    );
  });
});

test('the target, and not nginx, applies conditions of a request', async (t) => {
  const site = await startSite(t);
  assert.match(await get(site, '/plain/interim', 'If-Match: "x"'), /^HTTP\/1.1 200 .*last$/s);
  assert.ok(lastHead(site).headers.includes('If-Match: "x"'));
});

test('a target that does not behave', async (t) => {
  const site = await startSite(t);
  for (const path of [
    '/plain/dead',
    '/plain/garbage',
    '/plain/switching',
    '/quick/zero',
    '/quick/below',
    '/plain/unfinished',
    '/plain/malformed',
    '/plain/long',
    '/plain/coding',
    '/plain/lengths',
    '/dead/.env',
    '/named/.env',
  ])
    await t.test(`${path} is answered with 502`, async () => {
      assert.match(await get(site, path), /^HTTP\/1.1 502 .*Cache-Control: no-store\r\n.*\r\n\r\n502 Bad Gateway\n$/s);
    });
  await t.test('a name that cannot be looked up is reported once', async () => {
    await get(site, '/named/.env');
    assert.equal(site.nginx.errorLog().match(/mode proxy needs the directive resolver/g)?.length, 1);
  });
  await t.test('one that says nothing is answered with 504 in time', async () => {
    let bytes = '';
    // Repeats the request, because a worker that stalls for a second cuts the response.
    await until(async () => {
      bytes = await get(site, '/quick/silent');
      return bytes !== '';
    }, 'a response');
    assert.match(bytes, /^HTTP\/1.1 504 .*\r\n\r\n504 Gateway Timeout\n$/s);
  });
  for (const path of ['/patient/half', '/plain/short', '/plain/broken'])
    await t.test(`${path} is cut off, not ended`, async () => {
      const bytes = await get(site, path);
      assert.match(bytes, /half/);
      assert.doesNotMatch(bytes, /0\r\n\r\n$/);
    });
  await t.test('one that leads back to the guard', async () => {
    assert.match(
      await get(site, '/plain/.env', 'X-Guard-Proxied: 1'),
      /^HTTP\/1.1 508 .*\r\n\r\n508 Loop Detected\n$/s,
    );
  });
  assert.equal(await held(site), 0);
});

test('clients that leave', async (t) => {
  const site = await startSite(t);
  for (const path of ['/plain/silent', '/plain/half'])
    await t.test(`${path} is given up with its client`, async () => {
      const asked = site.target.requests.length;
      const socket = await open(site.nginx.port);
      socket.write(request('GET', path));
      while (site.target.requests.length === asked) await turn();
      assert.equal(await held(site), 1);
      socket.destroy();
      while (site.target.sockets.size > 0) await turn();
      assert.equal(await held(site), 0);
    });
  await t.test('where all slots are taken, a request is refused before its body arrives', async () => {
    const holder = await open(site.nginx.port);
    holder.write(request('GET', '/single/silent'));
    while ((await held(site)) !== 1) await turn();
    const socket = await open(site.nginx.port);
    socket.write(`${request('POST', '/single/.env', 'Content-Length: 9')}half`);
    const [head] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    assert.match(String(head), /^HTTP\/1\.1 403 /);
    assert.equal(await held(site), 1);
    for (const each of [socket, holder]) each.destroy();
    while ((await held(site)) !== 0) await turn();
  });
  await t.test('a body that breaks off holds nothing', async () => {
    const socket = await open(site.nginx.port);
    socket.write(`${request('POST', '/plain/.env', 'Content-Length: 9')}half`);
    assert.equal(await held(site), 0);
    socket.destroy();
  });
  await t.test('nor does one that nginx finds too large', async () => {
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const raw = request('POST', '/plain/.env', 'Transfer-Encoding: chunked', 'Connection: close') + chunk + chunk;
    assert.match(await exchangeBytes(site.nginx.port, `${raw}0\r\n\r\n`), /^HTTP\/1.1 413 /);
    assert.equal(await held(site), 0);
  });
});
