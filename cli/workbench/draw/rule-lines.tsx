import { printable, readable } from '../../../platform/escape.ts';
import { wrap } from '../../program/help.ts';
import { Text } from '../../views/drawing.tsx';
import type { RuleInfo } from '../rules.ts';
import { type Line, styledLine } from './lines.tsx';

const labelWidth = 9;
const shownCharacters = 400;

export function ruleLines(rule: RuleInfo, width: number): Line[] {
  const examples = (label: string, list: readonly string[], color: string): Line[] =>
    list.map((text, index) => (
      <Text key={text}>
        <Text color={color}>{(index === 0 ? label : '').padEnd(labelWidth)}</Text>
        {readable(text)}
      </Text>
    ));
  return [
    <Text key="id">
      <Text bold>{printable(rule.id)}</Text>
      <Text
        dimColor
      >{`  ${rule.action}, ${rule.isCustom ? 'of the policy' : 'built-in'}; ${rule.targets.join(', ')}`}</Text>
    </Text>,
    ...(rule.why === '' ? [] : wrap(readable(rule.why), width)),
    ...examples('matches', rule.matches, 'red'),
    ...examples('not', rule.nearMisses, 'green'),
    styledLine(printable(rule.pattern.slice(0, shownCharacters)), { dimColor: true }),
  ];
}
