/** Renders a line as text, so that React and the layout process one text per row. */
import { Text } from 'ink';
import { type ComponentProps, type FunctionComponent, isValidElement, type ReactNode } from 'react';
import type { Paint, Style } from '../../program/paint.ts';

type Styled = ComponentProps<typeof Text>;

function stylesOf({ color, dimColor, bold, inverse, underline }: Styled): Style[] {
  const flags = { bold, dim: dimColor, inverse, underline };
  const named = (Object.keys(flags) as (keyof typeof flags)[]).filter((name) => flags[name]);
  return color ? [color as Style, ...named] : named;
}

/** Returns a line as text. Calls components as functions, because they have no hooks. */
export function lineText(line: ReactNode, paint: Paint): string {
  if (Array.isArray(line)) return line.map((part: ReactNode) => lineText(part, paint)).join('');
  if (!isValidElement<Styled>(line)) return line === null || typeof line === 'boolean' ? '' : String(line ?? '');
  const { type, props } = line;
  if (type !== Text) return lineText((type as FunctionComponent<Styled>)(props) as ReactNode, paint);
  const text = lineText(props.children, paint);
  const styles = text === '' ? [] : stylesOf(props);
  return styles.length > 0 ? paint(styles, text) : text;
}
