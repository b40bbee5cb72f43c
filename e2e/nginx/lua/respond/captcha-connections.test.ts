/** Some connections to a captcha provider are kept for the next verification. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { limits } from '../../../../contract/policy/limits.ts';
import { scratchFolder } from '../../../../platform/scratch-folder.ts';
import { until } from '../../../../platform/testing/until.ts';
import { listen } from '../../../support/listen.ts';
import { certificate, key } from './certificate.ts';
import { startNames } from './names.ts';
import { startNginx } from './nginx.ts';

const success = '{"success":true}';
const head = `HTTP/1.1 200 OK\r\nContent-Length: ${success.length}\r\n`;

/** Responses of the provider by token. */
const responses: Readonly<Record<string, (response: ServerResponse) => void>> = {
  length: (response) => void response.writeHead(200, { 'Content-Length': success.length }).end(success),
  chunked: (response) => void response.write(success, () => response.end()),
  trailer: (response) => {
    response.writeHead(200, { Trailer: 'X-More' }).write(success);
    response.addTrailers({ 'X-More': '1' });
    response.end();
  },
  close: (response) => void response.writeHead(200, { Connection: 'close' }).end(success),
  old: (response) => void response.socket?.write(`${head.replace('1.1', '1.0')}\r\n${success}`),
  more: (response) => void response.socket?.write(`${head}\r\n${success}HTTP/1.1 200 OK\r\n`),
  long: (response) => void response.end(`${success.slice(0, -1)},"x":"${'x'.repeat(limits.captchaAnswerBytes)}"}`),
  status: (response) => void response.writeHead(500).end(success),
};

interface Provider {
  readonly port: number;
  readonly connections: () => number;
}

async function startProvider(t: TestContext, isSecure: boolean): Promise<Provider> {
  let connections = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse) =>
    responses[new URLSearchParams(await text(request)).get('response') ?? '']?.(response);
  const server = isSecure ? createSecureServer({ key, cert: certificate }, respond) : createServer(respond);
  server.on(isSecure ? 'secureConnection' : 'connection', () => (connections += 1));
  return { port: await listen(t, server), connections: () => connections };
}

/** A location that verifies a token at a URL, and prints the result. */
const locations = `
  location = /verify {
    content_by_lua_block {
      local captcha = { secret_key = "key", site_key = "k", verify_url = ngx.var.arg_url }
      local verify = require("guard.respond.captcha.verify")(captcha, { compares_host = false, test_keys = {} })
      ngx.print(tostring(verify(ngx.now() + 60, { token = ngx.var.arg_token, host = "example.com" })))
    }
  }`;

test('connections to a provider', async (t) => {
  const folder = scratchFolder('guard-tls-');
  writeFileSync(join(folder, 'trusted.pem'), certificate);
  const trust = `lua_ssl_trusted_certificate ${folder}/trusted.pem;`;
  const http = `resolver 127.0.0.1:${await startNames(t)} ipv6=off; ${trust}`;
  const nginx = await startNginx(t, { policies: {}, http, locations });
  const verify = async (url: string, token: string) =>
    (await fetch(`http://127.0.0.1:${nginx.port}/verify?url=${url}&token=${token}`)).text();

  for (const scheme of ['http', 'https']) {
    const provider = await startProvider(t, scheme === 'https');
    const url = `${scheme}://honeypot.example:${provider.port}/`;
    for (const token of ['length', 'chunked'])
      await t.test(`${scheme}: one is kept after a response with ${token}`, async () => {
        // A machine that stalls for seconds loses the connection.
        await until(async () => {
          const before = provider.connections();
          assert.equal(await verify(url, token), 'true');
          return provider.connections() === before;
        }, 'a connection to be used again');
      });
    for (const [token, isSolved] of Object.entries({
      ...{ trailer: true, close: true, old: true, more: true },
      ...{ long: false, status: false },
    }))
      await t.test(`${scheme}: none is kept after a response with ${token}`, async () => {
        assert.equal(await verify(url, token), String(isSolved));
        const before = provider.connections();
        assert.equal(await verify(url, 'length'), 'true');
        assert.equal(provider.connections(), before + 1);
      });
    if (scheme === 'https')
      await t.test('a kept one is not that of another name, whose certificate is verified', async () => {
        assert.equal(await verify(url, 'length'), 'true');
        assert.equal(await verify(url.replace('honeypot', 'another'), 'length'), 'false');
      });
  }
});

test('without a shared dictionary a worker counts verifications of a bounded number of networks', async (t) => {
  const counted = `
    location = /spend {
      content_by_lua_block {
        local spend, limits = require("guard.respond.captcha.budget"), require("guard.tables").limits
        local time, clock = ngx.time, 0
        ngx.time = function() return clock end
        local spent = {}
        local function note(network) spent[#spent + 1] = tostring(spend(network)) end
        for _ = 1, limits.captcha_verifications do spend("one") end
        note("one")
        for i = 2, limits.captcha_networks do spend("network" .. i) end
        note("network2")
        note("one more")
        clock = limits.captcha_span_seconds
        note("one")
        note("one more")
        ngx.time = time
        ngx.print(table.concat(spent, " "))
      }
    }`;
  const { port } = await startNginx(t, { policies: {}, isShared: false, locations: counted });
  const response = await fetch(`http://127.0.0.1:${port}/spend`);
  assert.equal(await response.text(), 'false true false true true');
});
