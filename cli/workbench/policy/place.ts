import { readJson } from '../../../contract/load/json.ts';
import { positionsOf } from '../../../contract/load/position.ts';
import { memberAt } from '../../../contract/load/tree.ts';
import { type PolicyState, selectedRule } from './state.ts';
import { ruleIn } from './switch-off.ts';

/** For a built-in rule: the line of `disabledRules`, or the first line. */
function ruleLine(state: PolicyState): number {
  const { text } = state.file;
  const { root } = readJson(text);
  const rule = selectedRule(state);
  if (!root || !rule) return 1;
  const found = rule.isCustom ? ruleIn(root, rule)?.item : memberAt(root, ['disabledRules']);
  return found ? positionsOf(text)(found.start).line : 1;
}

export function lineToEdit(state: PolicyState): number {
  const [problem] = state.file.problems;
  return problem ? Math.max(1, problem.line) : ruleLine(state);
}
