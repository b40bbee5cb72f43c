import { styleText } from 'node:util';
import type { Context, Terminal } from './context.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'inverse' | 'underline';
export type Paint = (style: Style | readonly Style[], text: string) => string;

export const plain: Paint = (_style, text) => text;
export const coloredPaint: Paint = (style, text) =>
  styleText(typeof style === 'string' ? style : [...style], text, { validateStream: false });

/** Colors are for terminals that support them, unless the user set NO_COLOR (no-color.org: not empty). */
export function hasColor(stream: Terminal, env: Context['env']): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

export function paintFor(stream: Terminal, env: Context['env']): Paint {
  return hasColor(stream, env) ? coloredPaint : plain;
}
