import type { State } from '../state.ts';
import { type Asked, answerLine } from './answers.ts';
import { selectedAttack, shownEvents } from './state.ts';

/** Returns what the commands are about. Undefined while no attack is listed. */
export function askedOf({ blocked, policy, daemon }: State): Asked | undefined {
  const attack = selectedAttack(blocked);
  return attack && { attack, events: shownEvents(blocked), policy: policy.file.name, daemon: daemon.address };
}

/** Returns the chosen command, or the one that makes attacks visible. */
export function lineOf(state: State): string {
  const { answer, problem } = state.blocked;
  const asked = askedOf(state);
  const line = asked && answerLine(answer, asked);
  return line ?? `guardcli dashboard ${problem === undefined ? 'watch' : 'up'}`;
}
