import { createContext, useContext } from 'react';
import type { Context } from '../../program/context.ts';
import { coloredPaint, hasColor, type Paint, plain, type Style } from '../../program/paint.ts';

const colors: ReadonlySet<Style> = new Set(['red', 'green', 'yellow', 'blue', 'magenta', 'cyan']);

/** Paints without colors. Keeps bold and inverse text, which show the cursor and the selected row. */
const withoutColor: Paint = (style, text) => {
  const kept = [style].flat().filter((one) => !colors.has(one));
  return kept.length === 0 ? text : coloredPaint(kept, text);
};

/** Paints for a screen reader: puts brackets around the selected row and the character under the cursor. */
export const forReader: Paint = (style, text) => ([style].flat().includes('inverse') ? `[${text}]` : text);

export const paintOf = ({ stdout, env }: Pick<Context, 'stdout' | 'env'>): Paint =>
  hasColor(stdout, env) ? coloredPaint : withoutColor;

export const PaintContext = createContext<Paint>(plain);

export const usePaint = (): Paint => useContext(PaintContext);
