/** Draws a terminal screen without external fonts or scripts. */
import { textHtml as htmlText } from '../../cli/dashboard/report/html.ts';
import type { Color, Run, Style } from './ansi.ts';

const escaped = (plain: string): string => htmlText(plain).html;

/** Width and height of a character in pixels. */
const [width, height] = [8.4, 17];
const padding = 14;
/** Pixels between the lower edge of a line and the baseline of its text. */
const baseline = 4.5;

/** Colors for light and dark pages. Each color of text has a contrast of at least 4.5 to 1, except black on dark pages. */
const palettes = {
  light: {
    ...{ background: '#ffffff', text: '#1f2328', border: '#d1d9e0' },
    colors: [
      ...['#1f2328', '#c2212c', '#1a7f37', '#8a6100', '#0757ba', '#8431c7', '#10707a', '#6e7781'],
      ...['#57606a', '#a40e26', '#116329', '#6b4a00', '#0550ae', '#6f26ab', '#0d5b63', '#424a53'],
    ],
  },
  dark: {
    ...{ background: '#16161a', text: '#e6e6ec', border: '#3a3a44' },
    colors: [
      ...['#3a3a44', '#ff7b72', '#56d364', '#e3b341', '#79b8ff', '#d2a8ff', '#56d4dd', '#d0d0d8'],
      ...['#8b8b96', '#ffa198', '#7ee787', '#f2cc60', '#a5d0ff', '#e2c5ff', '#8ae8ef', '#ffffff'],
    ],
  },
} as const;

const numberText = (value: number): string => String(Math.round(value * 100) / 100);

/** A class of the palette, or a fixed color. */
type Fill = number | 'text' | 'background' | Color;

const { light, dark } = palettes;

const classOf = (fill: number | 'text' | 'background'): string => (typeof fill === 'number' ? `c${fill}` : fill);

const darkRules = [
  ...(['text', 'background'] as const).map((name) => `.${name}{fill:${dark[name]}}`),
  ...dark.colors.map((color, index) => `.c${index}{fill:${color}}`),
  `.border{stroke:${dark.border}}`,
].join('');

const style = [
  `@media(prefers-color-scheme:dark){${darkRules}}`,
  // Prevents seams between rectangles.
  'rect:not([rx]){shape-rendering:crispEdges}',
  "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace}",
].join('\n');

/** Returns the light color, which every viewer draws, and a class for the dark color. */
function fillAttributes(fill: Fill, classes = ''): string {
  if (typeof fill === 'string' && fill.startsWith('#')) return `fill="${fill}"`;
  const name = fill as number | 'text' | 'background';
  return `class="${classOf(name)}${classes}" fill="${typeof name === 'number' ? light.colors[name] : light[name]}"`;
}

/** Exchanges both colors of inverse text. */
function colorsOf({ foreground, background, inverse }: Style): readonly [text: Fill, ground: Fill | undefined] {
  const text = foreground ?? 'text';
  return inverse ? [background ?? 'background', text] : [text, background];
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const rectangle = ({ x, y, width, height }: Area, fill: string): string =>
  `<rect x="${numberText(x)}" y="${numberText(y)}" width="${numberText(width)}" height="${numberText(height)}" ${fill}/>`;

/** The part of a cell that a block character fills, in eighths. */
function blockOf(character: string): readonly [wide: number, high: number] | undefined {
  const code = character.codePointAt(0) as number;
  if (code >= 0x2581 && code <= 0x2588) return [8, code - 0x2580];
  return code >= 0x2589 && code <= 0x258f ? [0x2590 - code, 8] : undefined;
}

/** Draws a run of equal block characters as one rectangle, which has no gaps. */
function blocksSvg({ text, column, style }: Run, top: number): string {
  const [fill] = colorsOf(style);
  return [...text.matchAll(/([\u2581-\u258f])\1*/g)]
    .map(({ 0: same, index }) => {
      const [wide, high] = blockOf(same) as readonly [number, number];
      const x = padding + (column + index) * width;
      const wholes = (same.length - 1) * width;
      const area = { x, y: top + height * (1 - high / 8), height: (height * high) / 8 };
      return rectangle({ ...area, width: wholes + (width * wide) / 8 }, fillAttributes(fill));
    })
    .join('');
}

function attributes(style: Style): string {
  const decoration = [style.bold && 'font-weight="700"', style.italic && 'font-style="italic"'];
  const lines = [style.underline && 'text-decoration="underline"', style.dim && 'fill-opacity=".7"'];
  return [fillAttributes(colorsOf(style)[0]), ...decoration, ...lines].filter(Boolean).join(' ');
}

/** Draws each text with a fixed length, so that the font of the reader does not matter. */
function wordsSvg({ text, column, style }: Run): string {
  return [...text.matchAll(/[^\s\u2581-\u258f]+(?: [^\s\u2581-\u258f]+)*/g)]
    .map(({ 0: word, index }) => {
      const x = numberText(padding + (column + index) * width);
      const length = numberText(word.length * width);
      return `<tspan x="${x}" textLength="${length}" lengthAdjust="spacingAndGlyphs" ${attributes(style)}>${escaped(word)}</tspan>`;
    })
    .join('');
}

function rowSvg(runs: readonly Run[], index: number): string {
  const top = padding + index * height;
  const grounds = runs.map(({ text, column, style }) => {
    const [, ground] = colorsOf(style);
    const area = { x: padding + column * width, y: top, width: text.length * width, height };
    return ground === undefined ? '' : rectangle(area, fillAttributes(ground));
  });
  const spans = runs.map(wordsSvg).join('');
  const text = spans === '' ? '' : `<text y="${numberText(top + height - baseline)}">${spans}</text>`;
  return [...grounds, ...runs.map((run) => blocksSvg(run, top)), text].join('');
}

/** Returns the SVG of a screen. Screen readers read `title`. */
export function screenSvg(lines: readonly (readonly Run[])[], columns: number, title: string): string {
  const [wide, high] = [columns * width + 2 * padding, lines.length * height + 2 * padding];
  const frame = { x: 0.5, y: 0.5, width: wide - 1, height: high - 1 };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" width="${numberText(wide)}" height="${numberText(high)}" viewBox="0 0 ${numberText(wide)} ${numberText(high)}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<style>${style}</style>`,
    rectangle(frame, `${fillAttributes('background', ' border')} rx="8" stroke="${light.border}"`),
    ...lines.map(rowSvg).filter((line) => line !== ''),
    '</svg>\n',
  ].join('\n');
}
