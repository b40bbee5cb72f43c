/** The screen Policy: the watched file and its rules. */
import { Text } from 'ink';
import { Lines } from '../lines.tsx';
import type { ViewProps } from '../screen.ts';

export function PolicyView({ width, height }: ViewProps) {
  return <Lines lines={[<Text key="x">policy</Text>]} width={width} height={height} />;
}
