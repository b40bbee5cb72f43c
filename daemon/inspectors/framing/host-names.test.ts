import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostNames } from './host-names.ts';

const isListed = hostNames(['shop.example', '*.Mail.example', '*.de']);

for (const name of ['shop.example', 'SHOP.Example', 'shop.example.', 'a.mail.example', 'a.b.mail.example', 'x.de'])
  test(`${name} is in the list`, () => assert.equal(isListed(name), true));

for (const name of [
  '',
  'www.shop.example',
  'mail.example',
  'amail.example',
  'shop.example.org',
  'de',
  '.',
  'shop.example..',
])
  test(`"${name}" is not in the list`, () => assert.equal(isListed(name), false));
