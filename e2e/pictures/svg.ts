/** Draws a terminal screen without external fonts or scripts. */
import xterm, { type IBufferCell } from '@xterm/headless';
import { textHtml as htmlText } from '../../cli/report/html.ts';
import type { Size } from '../support/tmux.ts';

const escaped = (plain: string): string => htmlText(plain).html;

/** Width and height of a character in pixels, and of the margin. Block characters of most fonts fill this height. */
const [width, height, padding] = [8.4, 16, 14];
/** Pixels between the lower edge of a line and the baseline of its text. */
const baseline = 3.5;

/** Colors of the screen. Each of `colors` except black has a contrast of at least 4.5 to 1. */
const [background, foreground, border] = ['#16161a', '#e6e6ec', '#3a3a44'];
const colors = ['#3a3a44', '#ff7b72', '#56d364', '#e3b341', '#79b8ff', '#d2a8ff', '#56d4dd', '#d0d0d8'];

const font = "14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";

/** Text with one style. */
interface Run {
  readonly column: number;
  readonly style: string;
  readonly ground: string | undefined;
  text: string;
}

/** @throws Error for a color that no program of the pictures uses */
function colorOf(color: number): string {
  const found = colors[color];
  if (found === undefined) throw new Error(`the pictures have no color ${color}`);
  return found;
}

/** Exchanges both colors of inverse text. */
function styleOf(cell: IBufferCell): Pick<Run, 'style' | 'ground'> {
  const text = cell.isFgDefault() ? foreground : colorOf(cell.getFgColor());
  const ground = cell.isBgDefault() ? undefined : colorOf(cell.getBgColor());
  const [fill, behind] = cell.isInverse() ? [ground ?? background, text] : [text, ground];
  const weight = cell.isBold() ? ' font-weight="700"' : '';
  const line = cell.isUnderline() ? ' text-decoration="underline"' : '';
  return { style: `fill="${fill}"${weight}${line}${cell.isDim() ? ' fill-opacity=".7"' : ''}`, ground: behind };
}

function runsOf(cells: readonly IBufferCell[]): Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of cells.entries()) {
    const [last, { style, ground }, text] = [runs.at(-1), styleOf(cell), cell.getChars() || ' '];
    if (last?.style === style && last.ground === ground) last.text += text;
    else runs.push({ column, style, ground, text });
  }
  return runs;
}

/** Draws each text with a fixed length, so that the font of the reader does not matter. */
function runSvg({ column, style, ground, text }: Run, top: number): string {
  const x = (padding + column * width).toFixed(1);
  const shown = ground === undefined ? text.trimEnd() : text;
  const length = (characters: string): string => (characters.length * width).toFixed(1);
  const area = `x="${x}" y="${top}" width="${length(text)}" height="${height}" fill="${ground}"`;
  const place = `x="${x}" y="${top + height - baseline}" textLength="${length(shown)}" lengthAdjust="spacingAndGlyphs"`;
  return [
    ground === undefined ? '' : `<rect ${area}/>`,
    shown === '' ? '' : `<text ${place} ${style}>${escaped(shown)}</text>`,
  ].join('');
}

async function linesOf(captured: string, { columns, rows }: Size): Promise<Run[][]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(captured.replace(/^\s*\n/, '').trimEnd(), resolve));
  const { active } = terminal.buffer;
  return Array.from({ length: active.cursorY + 1 }, (_, y) =>
    runsOf(
      Array.from({ length: columns }, (_cell, x) => active.getLine(y)?.getCell(x)).filter((one) => one !== undefined),
    ),
  );
}

/** Returns the SVG of a screen from its first to its last line with text, as tmux captures it. Screen readers read `title`. */
export async function screenSvg(captured: string, size: Size, title: string): Promise<string> {
  const lines = await linesOf(captured, size);
  const [wide, high] = [size.columns * width + 2 * padding, lines.length * height + 2 * padding];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img" aria-labelledby="title" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<style>text{font:${font}}</style>`,
    `<rect x=".5" y=".5" width="${wide - 1}" height="${high - 1}" rx="8" fill="${background}" stroke="${border}"/>`,
    ...lines.map((runs, index) => runs.map((run) => runSvg(run, padding + index * height)).join('')),
    '</svg>\n',
  ].join('\n');
}
