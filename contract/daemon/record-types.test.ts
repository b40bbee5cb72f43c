import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod/mini';
import { typeName, typeNumber } from './record-types.ts';
import { daemonSchema } from './schema.ts';

test('a type is known by its name and by its number', () => {
  assert.equal(typeNumber('AXFR'), 252);
  assert.equal(typeNumber('TYPE65280'), 65_280);
  assert.equal(typeName(65_280), 'TYPE65280');
  assert.equal(typeName(255), 'ANY');
  for (const name of ['AFXR', 'any', 'TYPE65536', 'TYPE', '']) assert.equal(typeNumber(name), undefined, name);
});

test('a type that is mistyped is an error of the configuration', () => {
  const isGood = (name: string) => {
    const dns = { listen: ':5300', upstream: 'upstream:53', protocol: 'dns', dns: { deny_types: [name] } };
    return z.safeParse(daemonSchema(), { services: { dns } }).success;
  };
  assert.equal(isGood('AXFR'), true);
  assert.equal(isGood('AFXR'), false);
});
