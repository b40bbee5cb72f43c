import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatOf, formats } from './formats.ts';
import type { LoggedRequest, ParsedLine } from './request.ts';
import { logs } from './testing/samples.ts';

const read = (line: string): ParsedLine => {
  const format = formatOf(line);
  return format && formats[format].read(line);
};

function request(line: string): LoggedRequest {
  const reading = read(line);
  assert.ok(reading !== undefined && reading !== 'notRequest', line);
  return reading;
}

const targets = (lines: readonly string[]): string[] =>
  lines.map((line) => {
    const reading = read(line);
    return typeof reading === 'object' ? `${reading.method} ${reading.target}` : String(reading);
  });

describe('the format of a line', () => {
  const expected = {
    ...{ nginx: 'combined', nginxJson: 'json', apache: 'combined', apacheVhost: 'combined', apacheCommon: 'combined' },
    ...{ caddy: 'caddy', traefikCommon: 'traefik', traefikJson: 'traefik' },
  } as const;
  for (const [server, lines] of Object.entries(logs)) {
    it(`is found for each line of ${server}`, () => {
      const found = new Set(lines.map(formatOf));
      assert.deepEqual([...found], [expected[server as keyof typeof logs]]);
    });
  }
  for (const line of ['', '-', '{', '{}', '[]', 'null', '"', 'a "b" c', '{"level":"info","msg":"started"}', '\x1f\x8b'])
    it(`is unknown for ${JSON.stringify(line)}`, () => assert.equal(formatOf(line), undefined));
});

describe('targets of real logs', () => {
  it('of nginx have the bytes that it escapes, and other lines are not requests', () => {
    assert.deepEqual(targets(logs.nginx), [
      'GET /.env',
      'GET /caf\xc3\xa9/\xff%2e%2e%2f.env?x="y"&z=\\x41',
      'GET http://other.example/abs?q',
      'GET /',
      'GET /a b/c',
      'GET /\x1b[31m',
      ...Array(5).fill('notRequest'),
      'GET /old',
    ]);
  });
  it('of Apache have the bytes that it escapes', () => {
    assert.deepEqual(targets(logs.apache), [
      'GET /caf\xc3\xa9/\xff%2e%2e%2f.env?x="y"&z=\\x41',
      'GET /',
      'GET /a b/c',
      'notRequest',
      'notRequest',
      'OPTIONS *',
    ]);
  });
  it('of nginx in JSON have bytes that are not UTF-8', () => {
    assert.deepEqual(targets(logs.nginxJson), [
      'GET /caf\xc3\xa9/\xff%2e%2e%2f.env?x="y"&z=\\x41',
      'GET /abs?q',
      'GET /a b/c',
      'notRequest',
    ]);
  });
  it('of Caddy have the bytes of UTF-8', () => {
    assert.deepEqual(targets(logs.caddy), [
      'GET /caf\xc3\xa9/\xef\xbf\xbd%2e%2e%2f.env?x="y"&z=\\x41',
      'GET http://other.example/abs?q',
      'GET /.git/config',
    ]);
  });
  it('of Traefik keep quotation marks and backslashes, which it does not escape', () => {
    assert.deepEqual(targets(logs.traefikCommon), [
      'GET /caf%C3%A9/%FF../.env?x="y"&z=\\x41',
      'POST /a?b=%00\\"q',
      'GET /.git/config',
    ]);
    assert.deepEqual(targets(logs.traefikJson), ['GET /caf%C3%A9/%FF../.env?x="y"&z=\\x41']);
  });
});

describe('requests of real logs', () => {
  it('have the host, the address, the status and the referrer where the server logs them', () => {
    const facts = (line: string) => {
      const { host, address, status, referrer } = request(line);
      return [host, address, status, referrer];
    };
    const cart = 'https://shop.example.com/cart?a="b"';
    const site = 'shop.example.com';
    assert.deepEqual(facts(logs.nginx[0]), [undefined, '127.0.0.1', 200, cart]);
    assert.deepEqual(
      facts(logs.nginx[3]),
      [undefined, '127.0.0.1', 200, cart],
      'a user with brackets and quotation marks',
    );
    assert.deepEqual(facts(logs.nginxJson[0]), [site, '127.0.0.1', 404, cart]);
    assert.deepEqual(facts(logs.apacheVhost[0]), ['localhost', '127.0.0.1', 200, cart]);
    assert.deepEqual(facts(logs.apacheCommon[0]), [undefined, '127.0.0.1', 200, undefined]);
    assert.deepEqual(facts(logs.caddy[0]), [site, '127.0.0.1', 404, cart]);
    assert.deepEqual(facts(logs.traefikCommon[0]), [undefined, '127.0.0.1', 499, cart]);
    assert.deepEqual(facts(logs.traefikCommon[2]), [undefined, '127.0.0.1', 499, undefined]);
    assert.deepEqual(facts(logs.traefikJson[0]), [site, '127.0.0.1', 499, cart]);
  });
  it('of Caddy have headers', () => {
    assert.deepEqual(request(logs.caddy[0]).headers.at(-1), ['Connection', 'close']);
  });
});

describe('hostile lines', () => {
  const line = (text: string, rest = '200 5 "-" "-"') =>
    `2001:db8::1 - - [22/Nov/2026:13:50:09 +0000] "${text}" ${rest}`;
  it('cannot end the request early', () => {
    assert.equal(request(line('GET /a\\x22 200 5 \\x22 HTTP/1.1')).target, '/a" 200 5 "');
    assert.equal(request(line('GET /a\\" 404 5 HTTP/1.1')).target, '/a" 404 5');
    assert.equal(request(line('GET /a\\\\ HTTP/1.1')).target, '/a\\');
  });
  it('cannot pass for another format', () => {
    assert.equal(formatOf(line('GET / HTTP/1.1', '200 5 "-" "{\\x22request\\x22:{}}"')), 'combined');
    assert.equal(formatOf(line('GET / HTTP/1.1', '200 5 "-" "x 1 \\x22r\\x22 \\x22s\\x22 0ms"')), 'combined');
  });
  it('with members of the wrong type are not requests of the format', () => {
    for (const value of ['null', '1', '[]', '{}', '{"method":1,"uri":"/"}', '"x"']) {
      const reading = read(`{"request":${value},"status":{},"host":[],"remote_addr":{}}`);
      assert.ok(reading === undefined || reading === 'notRequest', value);
    }
  });
  it('with members of the wrong type beside a request do no harm', () => {
    const { host, address, status, referrer } = request('{"request":"GET /x HTTP/1.1","status":[],"host":1,"ip":{}}');
    assert.deepEqual([host, address, status, referrer], [undefined, undefined, 0, undefined]);
    const headers = '{"A":"x","Referer":[1],"B":[null,"y"]}';
    const caddy = request(`{"request":{"method":"GET","uri":"/x","headers":${headers}},"status":"200"}`);
    assert.deepEqual([caddy.referrer, caddy.headers, caddy.status], [undefined, [['B', 'y']], 200]);
  });
  it('of 256 KiB are read in linear time', () => {
    for (const part of ['"', '\\', '\\"', ' "', ' 1 "" ""', '[', '] "', ' 1 "', '{"', 'ms', '::', '\\x']) {
      const long = part.repeat(2 ** 18 / part.length);
      for (const text of [
        long,
        line(long),
        line('GET /', `200 ${long}`),
        `${long} 0ms`,
        line('GET / HTTP/1.1', `${long}ms`),
      ])
        for (const { read } of Object.values(formats)) read(text);
    }
  });
});
