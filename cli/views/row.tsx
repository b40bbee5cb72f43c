/** A line of a full screen. */
import { Text } from 'ink';
import { memo } from 'react';

/** An unchanged row costs neither rendering nor layout. `text` may contain escape sequences for colors. */
export const Row = memo(function Row({ text }: { readonly text: string }) {
  return <Text wrap="truncate-end">{text || ' '}</Text>;
});
