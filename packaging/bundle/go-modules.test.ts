import assert from 'node:assert/strict';
import { test } from 'node:test';
import { licenseIn, modulesIn } from './go-modules.ts';
import { isAccepted } from './licenses.ts';

const bsd = 'Redistribution and use in source and\nbinary forms, with or without modification';
const mit = 'Permission is hereby granted, free of charge,\n to any person';
const found: Readonly<Record<string, string>> = {
  [mit]: 'MIT',
  [bsd]: 'BSD-2-Clause',
  [`${bsd}: Neither the name of X nor of Y`]: 'BSD-3-Clause',
  'Mozilla Public License, version 2.0 ... the GNU General Public License, Version 2.0': 'MPL-2.0',
  [`Apache License\n   Version 2.0, January 2004 ${mit}`]: 'Apache-2.0 AND MIT',
  [`GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3 ${mit}`]: 'MIT AND GPL or LGPL',
  'All rights reserved.': 'unknown',
};

for (const [text, license] of Object.entries(found))
  test(`a text has the license ${license}`, () => assert.equal(licenseIn(text), license));

test('the file beside a program lists each module once, with all its files', () => {
  const line = `\n${'-'.repeat(80)}\n\n`;
  const text = [
    'Traefik v3\n\nMIT\n',
    'a.b/c v1.0.0\n\nfirst\n\nline\n',
    'a.b/c v1.0.0\n\nnotice\n',
    'd.e/f v2.0.0\n\nlast\n',
  ];
  assert.deepEqual(
    modulesIn(text.join(line)).map(({ name, version, text }) => [name, version, text]),
    [
      ['a.b/c', 'v1.0.0', 'first\n\nline\n\nnotice'],
      ['d.e/f', 'v2.0.0', 'last'],
    ],
  );
});

test('an expression is accepted if one alternative is, with all its parts', () => {
  for (const one of ['MIT', '(GPL-2.0 OR MIT)', 'Apache-2.0 AND MIT']) assert.ok(isAccepted(one), one);
  for (const one of ['unknown', 'GPL-2.0', 'MIT AND GPL-2.0', 'MIT AND GPL or LGPL']) assert.ok(!isAccepted(one), one);
});
