import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readScreen, type Style } from './ansi.ts';
import { screenSvg } from './svg.ts';

const styleOf = (captured: string): Style | undefined => readScreen(`${captured}x`)[0]?.[0]?.style;

describe('the screen of a terminal', () => {
  const cases: readonly (readonly [string, Style])[] = [
    ['\x1b[31m', { foreground: 1 }],
    ['\x1b[97;104m', { foreground: 15, background: 12 }],
    ['\x1b[38;5;9m', { foreground: 9 }],
    ['\x1b[38;5;196m', { foreground: '#ff0000' }],
    ['\x1b[48;5;244m', { background: '#808080' }],
    ['\x1b[38;2;1;2;255m', { foreground: '#0102ff' }],
    ['\x1b[1;38;2;1;2;3;7m', { bold: true, foreground: '#010203', inverse: true }],
    ['\x1b[1m\x1b[2m\x1b[22m', { bold: false, dim: false }],
    ['\x1b[31;42m\x1b[39m', { foreground: undefined, background: 2 }],
    ['\x1b[1;31m\x1b[m', {}],
    ['\x1b[1;31m\x1b[0;4m', { underline: true }],
  ];
  for (const [captured, style] of cases)
    it(`reads ${JSON.stringify(captured)}`, () => assert.deepEqual(styleOf(captured), style));
  it('keeps a style beyond the end of a line', () => {
    const [first, second] = readScreen('a\x1b[31mb\nc\x1b[md');
    assert.deepEqual(first?.at(-1), { column: 1, text: 'b', style: { foreground: 1 } });
    assert.deepEqual(second, [
      { column: 0, text: 'c', style: { foreground: 1 } },
      { column: 1, text: 'd', style: {} },
    ]);
  });
  it('drops links, other sequences and control characters', () => {
    const [line] = readScreen('\x1b]8;;https://example.com\x1b\\a\x1b]8;;\x07b\x1b[?25l\x0fc\x7f');
    assert.deepEqual([line?.map(({ text }) => text).join(''), line?.at(-1)?.column], ['abc', 2]);
  });
  it('leaves out empty lines around the text', () => {
    assert.deepEqual(
      readScreen('\n \na\n\nb\n \n\n').map((runs) => runs.map(({ text }) => text).join('')),
      ['a', '', 'b'],
    );
  });
});

describe('the picture of a screen', () => {
  const svgOf = (captured: string): string => screenSvg(readScreen(captured), 10, 'what is seen');
  it('is an image with a title', () => {
    assert.match(svgOf('a'), /^<svg [^>]*role="img" aria-labelledby="title"[^>]*>\n<title id="title">what is seen</);
  });
  it('escapes text and title, and loads nothing', () => {
    const svg = screenSvg(readScreen('<b>&"\''), 10, '</title><script>');
    assert.ok(svg.includes('>&lt;b&gt;&amp;&#34;&#39;</tspan>'), svg);
    assert.doesNotMatch(svg, /<script|<b>|url\(|@import|href/);
  });
  it('puts each column of text at its place', () => {
    assert.deepEqual(
      [...svgOf('ab c   d').matchAll(/<tspan x="([\d.]+)" textLength="([\d.]+)"/g)].map(([, x, length]) => [x, length]),
      [
        ['14', '33.6'],
        ['72.8', '8.4'],
      ],
    );
  });
  it('has its colors as attributes too, for viewers that read no rules of style', () => {
    const svg = svgOf('a\x1b[31mb\x1b[38;2;1;2;3mc\x1b[42md\u2588');
    assert.doesNotMatch(svg, /var\(/);
    for (const [, attributes = ''] of svg.matchAll(/<(?:rect|tspan) ([^>]*)>/g))
      assert.match(attributes, /(?:^| )fill="#[0-9a-f]{6}"/);
    assert.match(svg, /class="c1" fill="#c2212c"/);
    assert.match(svg, /@media\(prefers-color-scheme:dark\)\{[^@]*\.c1\{fill:#ff7b72\}/);
  });
  it('swaps the colors of inverse text', () => {
    assert.match(svgOf('\x1b[7mx'), /class="text" [^>]*\/><text[^>]*><tspan [^>]*class="background" /);
    assert.match(svgOf('\x1b[7;31;42mx'), /class="c1" [^>]*\/><text[^>]*><tspan [^>]*class="c2" /);
  });
  it('draws neighboring block characters as one rectangle', () => {
    assert.deepEqual(
      [...svgOf('\x1b[36m\u2588\u2588\u258c \u2582').matchAll(/<rect (.*?) class="c6"/g)].map(([, area]) => area),
      [
        'x="14" y="14" width="16.8" height="17"',
        'x="30.8" y="14" width="4.2" height="17"',
        'x="47.6" y="26.75" width="8.4" height="4.25"',
      ],
    );
  });
});
