/** Bodies of 64 KiB with values that nearly match many rules. */
import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { compile } from '../../../engine/index.ts';
import { type Body, filledText, form, json, xml } from './texts.ts';

/**
 * Returns, for each rule that inspects bodies, a text that nearly matches: a match with `!` after it, or instead of its
 * last one or two characters. Takes the shortest text that the engine allows, and leaves out a rule without one.
 */
function nearMatches(passes: (value: string) => boolean): string[] {
  const rules = builtInRules.filter(({ targets }) => targets.includes('body'));
  return rules.flatMap(({ matches }) =>
    matches
      .flatMap((text) => [text.slice(0, -2), text.slice(0, -1), text].map((start) => `${start}!`))
      .filter(passes)
      .sort((one, other) => one.length - other.length)
      .slice(0, 1),
  );
}

export function nearBodies(): Body[] {
  const { evaluate } = compile(Policy.parse({ methods: ['*'], checkBody: true }));
  const passes = (value: string): boolean =>
    evaluate({ method: 'POST', target: '/', headers: [['content-type', json]], body: JSON.stringify(value) })
      .verdict === 'allowed';
  const texts = nearMatches(passes);
  const value = (count: number, odd: string, index: number): string => {
    const some = Array.from({ length: count }, (_, k) => texts[(7 * index + 11 * k + k * index) % texts.length]);
    const all = `${some.join(' ')}${odd}${index}`;
    return passes(all) ? all : '';
  };
  const several = '\\;%2541'; // engines inspect this text in several decoded forms
  const rows: [name: string, type: string, text: string][] = [
    ['JSON, a rule each', json, filledText((index) => `${JSON.stringify(value(1, several, index))},`, '[', '0]')],
    ['JSON, four rules each', json, filledText((index) => `${JSON.stringify(value(4, several, index))},`, '[', '0]')],
    ['JSON, 16 rules each', json, filledText((index) => `${JSON.stringify(value(16, '', index))},`, '[', '0]')],
    ['form, four rules each', form, filledText((index) => `a=${encodeURIComponent(value(4, '', index))}&`)],
    ['XML, 16 rules each', xml, filledText((index) => `<a>${value(16, '', index).replaceAll(/[&<]/g, '')}</a>`)],
    [
      'one text',
      json,
      `"${filledText((index) => `${texts[index % texts.length]} `.replaceAll(/["\\]/g, ''), '', '!"')}`,
    ],
  ];
  return rows.map(([name, type, text]) => ({ name: `values that nearly match: ${name}`, type, text, isHonest: false }));
}
