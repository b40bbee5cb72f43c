/** How texts from other parts of the program are painted: not at all with NO_COLOR. */
import { createContext, useContext } from 'react';
import { type Paint, plain } from '../program/paint.ts';

export const PaintContext = createContext<Paint>(plain);

export const usePaint = (): Paint => useContext(PaintContext);
