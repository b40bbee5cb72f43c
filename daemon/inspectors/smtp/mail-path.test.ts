import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainPath, senderDomain } from './mail-path.ts';

const cases: Readonly<Record<string, string>> = {
  'FROM:<a@b.example>': 'b.example',
  'from: <a@B.Example.> SIZE=10': 'b.example',
  'FROM:a@b.example': 'b.example',
  'FROM :<a@b.example>AUTH=x@good.example': 'b.example',
  'FROM:<a@b.example> AUTH=x@good.example': 'b.example',
  'FROM:<"x@good.example> "@b.example>': 'b.example',
  'FROM:<"x\\"@good.example> "@b.example>': 'b.example',
  'FROM:<@relay.example,@other.example:a@b.example>': 'b.example',
  'FROM:<>': '',
  'FROM:<"open@b.example>': '',
  'FROM:<postmaster>': '',
};

for (const [argument, domain] of Object.entries(cases))
  test(`finds domain "${domain}" in ${argument}`, () => assert.equal(senderDomain(argument), domain));

const plain: readonly string[] = [
  ...Object.keys(cases).filter((argument) => argument !== 'FROM:<"open@b.example>'),
  'FROM:<"a (b\\" >"@b.example>',
  'FROM:<SRS0=x=y=b.example=a+tag@c_d.example>',
  'FROM:<a@[IPv6:2001:db8::1]>',
  'FROM:<\xc3\xa0@b\xc3\xa0.example> SMTPUTF8',
  'FROM: a@b.example SIZE=10 BODY=8BITMIME ',
];

for (const argument of plain) test(`accepts ${argument} as plain`, () => assert.ok(isPlainPath(argument)));

/** Paths that are not plain. Exim or Postfix interpret most of these paths as `x@denied.example`. */
const ambiguous: readonly string[] = [
  'FROM:<x@denied.example(c)>',
  'FROM:<x@ denied.example>',
  'FROM:<x @denied.example>',
  'FROM:<x@(a@b)denied.example>',
  'FROM:(a>b)<x@denied.example>',
  'FROM:<x@"denied.example">',
  'FROM:<x@\\denied.example>',
  'FROM:<x\\@y@denied.example>',
  'FROM:<x@denied.example,>',
  'FROM:<x@denied.example',
  'FROM:<"open@denied.example>',
  'FROM:<x@>',
  'FROM:<x@denied.example..>',
  'FROM:x @denied.example',
  'FROM:Name <x@denied.example>',
  'FROM <x@denied.example>',
];

for (const argument of ambiguous) test(`refuses ${argument} as ambiguous`, () => assert.ok(!isPlainPath(argument)));
