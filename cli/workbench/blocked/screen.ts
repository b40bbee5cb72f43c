import type { Command, Screen, World } from '../screen.ts';
import type { AnswerName } from './answers.ts';
import { lineOf } from './asked.ts';
import { BlockedView } from './view.tsx';

const select =
  (by: number): Command['run'] =>
  ({ store, blocked }: World) => {
    store.dispatch({ kind: 'blocked.select', by });
    blocked.refresh();
  };

const answerCommand = (answer: AnswerName, name: string, key: string): Command => ({
  ...{ name, keys: [key], label: answer },
  run: ({ store }) => store.dispatch({ kind: 'blocked.answer', answer }),
});

export const blockedScreen: Screen = {
  name: 'blocked',
  title: 'Blocked',
  commands: [
    { name: 'next attack', keys: ['down', 'j'], label: 'attack', run: select(1) },
    { name: 'previous attack', keys: ['up', 'k'], run: select(-1) },
    { name: 'next page of attacks', keys: ['page-down'], run: select(10) },
    { name: 'previous page of attacks', keys: ['page-up'], run: select(-10) },
    answerCommand('explain', 'command that explains the rule', 'e'),
    answerCommand('why', 'command that explains the latest request', 'w'),
    answerCommand('allow', 'command that allows what was blocked', 'a'),
    answerCommand('ban', 'command that bans the client', 'b'),
  ],
  isTyping: () => false,
  type: () => undefined,
  line: lineOf,
  View: BlockedView,
};
