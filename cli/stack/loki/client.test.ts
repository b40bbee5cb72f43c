/** Runs the client against a server that responds like Loki, or unlike Loki. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import type { GuardError } from '../../../platform/errors.ts';
import { lokiBounds } from './bounds.ts';
import { openLoki } from './client.ts';

async function serving(t: TestContext, respond: RequestListener, path = '') {
  const server = createServer(respond).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return openLoki(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, new AbortController().signal);
}

const streams = (count: number) => ({
  data: {
    resultType: 'streams',
    result: [
      {
        stream: { gateway: 'caddy' },
        values: Array.from({ length: count }, (_, at) => [`170000000000${at}`, 'x']),
      },
    ],
  },
});

async function errorOf(promise: Promise<unknown>): Promise<GuardError> {
  return promise.then(
    () => assert.fail('it was accepted'),
    (error: unknown) => error as GuardError,
  );
}

describe('a query', () => {
  it('sends times in nanoseconds', async (t) => {
    const urls: (string | undefined)[] = [];
    const loki = await serving(t, (request, response) => {
      urls.push(request.url);
      response.end(JSON.stringify(streams(1)));
    });
    await loki.queryRange('{a="b"}', {
      start: 1000,
      end: '2000000001',
      stepMs: 15_000,
      limit: 7,
      direction: 'forward',
    });
    const { pathname, searchParams } = new URL(urls[0] ?? '', loki.address);
    assert.equal(pathname, '/loki/api/v1/query_range');
    assert.deepEqual(Object.fromEntries(searchParams), {
      ...{
        query: '{a="b"}',
        direction: 'forward',
        start: '1000000000',
        end: '2000000001',
        step: '15000ms',
        limit: '7',
      },
    });
  });
  it('returns lines, at most as many as the bound', async (t) => {
    const loki = await serving(t, (_, response) => response.end(JSON.stringify(streams(lokiBounds.lines + 1))));
    const result = await loki.query('{a="b"}', 0);
    assert.ok(result.kind === 'lines' && result.isCut);
    assert.equal(result.lines.length, lokiBounds.lines);
    assert.deepEqual(result.lines[0], { ns: '1700000000000', labels: { gateway: 'caddy' }, line: 'x' });
  });
  it('returns series, with infinite values', async (t) => {
    const result = {
      resultType: 'matrix',
      result: [
        {
          metric: { a: 'b' },
          values: [
            [1.5, '2'],
            [2, '+Inf'],
          ],
        },
      ],
    };
    const loki = await serving(t, (_, response) => response.end(JSON.stringify({ data: result })));
    assert.deepEqual(await loki.query('x', 0), {
      ...{ kind: 'series', isCut: false },
      series: [
        {
          labels: { a: 'b' },
          samples: [
            { at: 1500, value: 2 },
            { at: 2000, value: Number.POSITIVE_INFINITY },
          ],
        },
      ],
    });
  });
});

describe('a request', () => {
  it('goes below the secret path, which no error has', async (t) => {
    const paths: (string | undefined)[] = [];
    const statuses = [200, 404];
    const loki = await serving(
      t,
      (request, response) => {
        paths.push(request.url?.replace(/\?.*/, ''));
        const status = statuses.shift();
        if (status === undefined) response.destroy();
        else response.writeHead(status).end();
      },
      '/s3cret',
    );
    assert.equal(await loki.ready(), true);
    for (const message of [/responds with status 404/, /does not respond/]) {
      const error = await errorOf(loki.query('{}', 0));
      assert.match(error.message, message);
      assert.ok(!inspect(error).includes('s3cret'), inspect(error));
    }
    assert.deepEqual(paths, ['/s3cret/ready', '/s3cret/loki/api/v1/query', '/s3cret/loki/api/v1/query']);
  });
});

describe('a server', () => {
  for (const [status, expected] of [
    [200, true],
    [503, false],
    [404, 'not_loki'],
  ] as const)
    it(`that responds with ${status} is ${expected}`, async (t) => {
      const loki = await serving(t, (_, response) => response.writeHead(status).end());
      assert.equal(await loki.ready().catch(({ code }) => code), expected);
    });
});

describe('an error', () => {
  it('names the address where nothing listens', async (t) => {
    const loki = await serving(t, (_, response) => response.destroy());
    const { message, hint, exitCode } = await errorOf(loki.query('{}', 0));
    assert.deepEqual([message, exitCode], [`Loki does not respond at ${loki.address}: connection closed`, 3]);
    assert.match(hint ?? '', /guardcli dashboard up/);
  });
  it('has the position in the LogQL', async (t) => {
    const said = 'parse error at line 1, col 5: syntax error: unexpected IDENTIFIER';
    const loki = await serving(t, (_, response) => response.writeHead(400).end(said));
    const { message, exitCode } = await errorOf(loki.query('{', 0));
    assert.equal(message, 'the LogQL query is not valid at line 1, column 5: syntax error: unexpected IDENTIFIER');
    assert.equal(exitCode, 2);
  });
  it('says that another program responds', async (t) => {
    const loki = await serving(t, (_, response) => response.end('<html>'));
    assert.equal((await errorOf(loki.query('{}', 0))).code, 'not_loki');
  });
  it('ends a response without end', async (t) => {
    const loki = await serving(t, (_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    assert.equal((await errorOf(loki.query('{}', 0))).code, 'loki_too_large');
  });
});
