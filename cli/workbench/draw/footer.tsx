import { readable } from '../../../platform/escape.ts';
import { fittingKeys, type KeyHelp, keyGap } from '../../program/key-help.ts';
import { Text } from '../../views/drawing.tsx';
import { common } from '../keys/common.ts';
import { keyText } from '../keys/key-names.ts';
import { layerOf } from '../keys/layers.ts';
import type { Command } from '../screen.ts';
import { screenOf } from '../screens.ts';
import type { State } from '../state.ts';
import { type Line, styledLine } from './lines.tsx';

/** Sort order: commands that apply only in some states, then those of every screen, then the others. */
const rankOf = (command: Command): number => (command.when ? 0 : common.includes(command) ? 1 : 2);

/** Returns the line of keys. Omits keys that are characters while the user types text. */
function keyLine(state: State, width: number): Line {
  const layer = layerOf(state);
  const isTyping = layer.isTyping(state);
  const ranked = layer.commands(state).toSorted((one, other) => rankOf(one) - rankOf(other));
  const all = ranked.flatMap(({ keys, label }): KeyHelp[] => {
    const key = isTyping ? keys.find((one) => one.length > 1) : keys[0];
    return key === undefined || label === undefined ? [] : [[keyText(key), label]];
  });
  return (
    <Text key="keys">
      {fittingKeys(all, width).map(([key, word], index) => (
        <Text key={word}>
          {index > 0 && keyGap}
          <Text bold>{key}</Text>
          <Text dimColor>{` ${word}`}</Text>
        </Text>
      ))}
    </Text>
  );
}

function messageLine({ question, notice }: State): Line {
  if (question) return styledLine(`${readable(question.text)} y: yes, n: no`, { color: 'yellow' });
  if (!notice) return '';
  return styledLine(readable(notice.text), { color: notice.isError ? 'red' : 'green' });
}

export const footerLines = (state: State, width: number): Line[] => [
  messageLine(state),
  <Text key="line">
    <Text dimColor>$ </Text>
    {readable(screenOf(state.screen).line(state).slice(0, 2000))}
  </Text>,
  keyLine(state, width),
];
