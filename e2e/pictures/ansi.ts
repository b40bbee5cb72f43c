/** Parses the output of `tmux capture-pane -e -p`. A style continues across lines. */

/** A number of the 16 colors of the terminal, or `#rrggbb`. */
export type Color = number | `#${string}`;

export interface Style {
  readonly foreground?: Color | undefined;
  readonly background?: Color | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

/** Text with one style. Wide characters do not occur, so each UTF-16 unit takes one column. */
export interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: Style;
}

const hex = (red: number, green: number, blue: number): Color =>
  `#${[red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')}`;

/** Returns one of 256 colors: 16 of the terminal, a cube with 6 steps per side, and 24 grays. */
function indexed(index: number): Color {
  if (index < 16) return index;
  if (index >= 232) return hex(8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10);
  const step = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return hex(step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6));
}

const changes: Readonly<Record<number, Style>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { foreground: undefined },
  49: { background: undefined },
};

/** The first codes of ranges of 8 colors, and what they color. */
const ranges = [
  [30, 'foreground', 0],
  [40, 'background', 0],
  [90, 'foreground', 8],
  [100, 'background', 8],
] as const;

function colorChange(code: number): Style {
  const range = ranges.find(([first]) => code >= first && code < first + 8);
  return range ? { [range[1]]: code - range[0] + range[2] } : {};
}

/** Consumes the parameters of `38;5;n` or `38;2;r;g;b`. */
function extendedColor(codes: number[]): Color | undefined {
  if (codes.shift() === 5) return indexed(codes.shift() ?? 0);
  const [red = 0, green = 0, blue = 0] = codes.splice(0, 3);
  return hex(red, green, blue);
}

function styled(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let style = before;
  for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
    if (code === 0) style = {};
    else if (code === 38) style = { ...style, foreground: extendedColor(codes) };
    else if (code === 48) style = { ...style, background: extendedColor(codes) };
    else style = { ...style, ...(changes[code] ?? colorChange(code)) };
  }
  return style;
}

/** Matches SGR sequences, other sequences such as links, and other control characters. */
const control = /\x1b\[([\d;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[\d;:?]*[A-Za-z]|[\x00-\x1f\x7f]/;

/** Parses a captured screen into lines. Drops empty lines at the beginning and end. */
export function readScreen(captured: string): Run[][] {
  let style: Style = {};
  const lines = captured.split('\n').map((line) => {
    const runs: Run[] = [];
    let column = 0;
    // Texts and SGR parameters alternate, because the pattern has one group.
    for (const [index, part] of line.split(control).entries()) {
      if (index % 2 === 1) style = part === undefined ? style : styled(style, part);
      else if (part) {
        runs.push({ column, text: part, style });
        column += part.length;
      }
    }
    return runs;
  });
  const isFilled = (runs: readonly Run[]) => runs.some(({ text }) => text.trim() !== '');
  return lines.slice(Math.max(lines.findIndex(isFilled), 0), lines.findLastIndex(isFilled) + 1);
}
