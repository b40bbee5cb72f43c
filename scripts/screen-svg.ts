/** A screen of a terminal as SVG: text with SGR sequences in, colored monospace text out. */

const [cellWidth, cellHeight, fontSize] = [8.4, 18, 14];
const [foreground, background] = ['#d8dee9', '#1b1f27'];
/** The 8 colors of a terminal. */
const palette = ['#4c566a', '#f07178', '#a3d977', '#ffcb6b', '#82aaff', '#c792ea', '#89ddff', '#eceff4'];

interface Style {
  readonly color?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isInverse?: boolean;
  readonly isUnderlined?: boolean;
}

/** Effects of the SGR codes that the program writes. */
function styled(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 4) return { ...style, isUnderlined: true };
  if (code === 7) return { ...style, isInverse: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 24) return { ...style, isUnderlined: false };
  if (code === 27) return { ...style, isInverse: false };
  const index = code >= 90 ? code - 90 : code - 30;
  if (code === 39) return { ...style, color: foreground };
  return index >= 0 && index < palette.length ? { ...style, color: palette[index] ?? foreground } : style;
}

const escaped = (text: string): string => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);

function runOf(text: string, column: number, row: number, style: Style): string {
  const { color = foreground, isBold, isDim, isInverse, isUnderlined } = style;
  if (text.trim() === '' && !isInverse) return '';
  const [x, width] = [(column * cellWidth).toFixed(1), (text.length * cellWidth).toFixed(1)];
  const box = isInverse
    ? `<rect x="${x}" y="${row * cellHeight}" width="${width}" height="${cellHeight}" fill="${color}"/>`
    : '';
  const marks = [
    `fill="${isInverse ? background : color}"`,
    ...(isBold ? ['font-weight="bold"'] : []),
    ...(isDim ? ['opacity="0.6"'] : []),
    ...(isUnderlined ? ['text-decoration="underline"'] : []),
  ].join(' ');
  const y = row * cellHeight + fontSize;
  return `${box}<text x="${x}" y="${y}" textLength="${width}" ${marks}>${escaped(text)}</text>`;
}

function lineOf(line: string, row: number, before: Style): { readonly svg: string; readonly style: Style } {
  let [style, column, svg] = [before, 0, ''];
  for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
    const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) style = codes.split(';').map(Number).reduce(styled, style);
    else {
      svg += runOf(part, column, row, style);
      column += part.length;
    }
  }
  return { svg, style };
}

/** `screen` is what `tmux capture-pane -e` prints. */
export function svgOf(screen: string, columns: number, rows: number): string {
  const [width, height] = [Math.ceil(columns * cellWidth), rows * cellHeight + 6];
  let style: Style = {};
  const lines = screen
    .split('\n')
    .slice(0, rows)
    .map((line, row) => {
      const drawn = lineOf(line, row, style);
      style = drawn.style;
      return drawn.svg;
    });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="monospace" font-size="${fontSize}" xml:space="preserve">`,
    `<rect width="100%" height="100%" fill="${background}"/>`,
    ...lines.filter((line) => line !== ''),
    '</svg>\n',
  ].join('\n');
}
