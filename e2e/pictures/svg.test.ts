import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { screenSvg } from './svg.ts';

describe('the picture of a screen', () => {
  const svgOf = (captured: string): Promise<string> => screenSvg(captured, { columns: 10, rows: 5 }, 'what is seen');

  it('is an image with a title', async () =>
    assert.match(
      await svgOf('a'),
      /^<svg [^>]*xml:space="preserve" role="img" aria-labelledby="title"[^>]*>\n<title id="title">what is seen</,
    ));

  it('escapes text and title, and loads nothing', async () => {
    const svg = await screenSvg('<b>&"\'', { columns: 10, rows: 5 }, '</title><script>');
    assert.ok(svg.includes('>&lt;b&gt;&amp;&#34;&#39;</text>'), svg);
    assert.doesNotMatch(svg, /<script|<b>|url\(|@import|href/);
  });

  it('leaves out empty lines around the text', async () =>
    assert.match(await svgOf('\n \n  a\n\nb\n \n\n'), /viewBox="0 0 112 76"/));

  it('draws each style at its column', async () => {
    const svg = await svgOf('ab \x1b[1;31mc\x1b[0m d\n\x1b[4;36me');
    assert.deepEqual(
      [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)" \S+ ([^>]*)>([^<]*)/g)].map((one) =>
        one.slice(1),
      ),
      [
        ['14.0', '26.5', '16.8', 'fill="#e6e6ec"', 'ab'],
        ['39.2', '26.5', '8.4', 'fill="#ff7b72" font-weight="700"', 'c'],
        ['47.6', '26.5', '16.8', 'fill="#e6e6ec"', ' d'],
        ['14.0', '42.5', '8.4', 'fill="#56d4dd" text-decoration="underline"', 'e'],
      ],
    );
  });

  it('swaps the colors of inverse text', async () => {
    assert.match(await svgOf('\x1b[7mx'), /fill="#e6e6ec"\/><text [^>]*fill="#16161a">x</);
    assert.match(await svgOf('\x1b[7;31;42mx'), /fill="#ff7b72"\/><text [^>]*fill="#56d364">x</);
  });

  it('refuses a color without a row in its palette', () => assert.rejects(svgOf('\x1b[38;5;196mx'), /no color 196/));
});
