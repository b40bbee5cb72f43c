import assert from 'node:assert/strict';
import { test } from 'node:test';
import { senderDomain } from './mail-path.ts';

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
