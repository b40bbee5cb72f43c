/** Commands and keys of the screen Policy. */
import { quote } from '../../program/quote.ts';
import type { Screen } from '../screen.ts';
import { PolicyView } from './view.tsx';

export const policyScreen: Screen = {
  name: 'policy',
  title: 'Policy',
  commands: [],
  isTyping: () => false,
  type: () => undefined,
  line: ({ policy: { file } }) => `guardcli validate ${quote(file.name ?? 'guard.json')}`,
  View: PolicyView,
};
