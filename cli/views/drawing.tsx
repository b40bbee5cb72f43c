/** Ink's boxes and text, as the terminal and its user need them. */
import { Box as InkBox, Text as InkText } from 'ink';
import { type ComponentProps, createContext, useContext } from 'react';
import type { Context } from '../program/context.ts';
import { coloredPaint, hasColor, type Paint, plain } from '../program/paint.ts';

export interface Drawing {
  readonly hasColor: boolean;
  /** True when a screen reader reads the rows: panes are one below the other, and no row is empty. */
  readonly hasScreenReader: boolean;
}

export const drawingOf = ({ stdout, env }: Pick<Context, 'stdout' | 'env'>): Drawing => ({
  hasColor: hasColor(stdout, env),
  hasScreenReader: env.INK_SCREEN_READER === 'true',
});

export const DrawingContext = createContext<Drawing>({ hasColor: true, hasScreenReader: false });

export const useScreenReader = (): boolean => useContext(DrawingContext).hasScreenReader;

/** Returns the paint for text that is styled without Ink. */
export function usePaint(): Paint {
  const drawing = useContext(DrawingContext);
  return drawing.hasColor && !drawing.hasScreenReader ? coloredPaint : plain;
}

/** A box. For a screen reader it is only as high as its content. */
export const Box = ({ height, ...others }: ComponentProps<typeof InkBox>) => (
  <InkBox {...others} {...(!useScreenReader() && height !== undefined && { height })} />
);

/**
 * Text. Without colors, bold and inverse text remain, which show the cursor and the selected row. For a screen reader,
 * these are in brackets.
 */
export function Text({ color, ...others }: ComponentProps<typeof InkText>) {
  const drawing = useContext(DrawingContext);
  if (!drawing.hasScreenReader) return <InkText {...others} {...(drawing.hasColor && color && { color })} />;
  const { wrap, inverse, children } = others;
  return <InkText {...(wrap && { wrap })}>{inverse ? <>[{children}]</> : children}</InkText>;
}
