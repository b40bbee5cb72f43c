import { printable, readable } from '../../../platform/escape.ts';
import type { NamedFile } from '../../evaluate/products.ts';
import type { Paint } from '../../program/paint.ts';
import { type Row, table } from '../../program/table.ts';
import type { CoveringException, ExplainedExploit, Explanation } from './explain.ts';
import type { ListedRule, RuleList } from './search.ts';

const namesText = (word: string, names: readonly string[]): string =>
  names.length === 0 ? '' : ` ${word} ${names.map(readable).join(', ')}`;

const exceptionRow = ({ name, path, hosts, clients }: CoveringException): Row => [
  name,
  `off for ${readable(path)}${namesText('on', hosts)}${namesText('from', clients)}`,
];

function stateText({ active, inactive, policy }: Explanation): string {
  const name = policy === null ? 'the defaults' : readable(policy);
  return active ? `active in ${name}` : `not active in ${name}: ${inactive}`;
}

function offText({ id, action, origin, active }: Explanation): string[] {
  if (!active) return [];
  const whole = origin === 'built-in' ? `"disabledRules": [${JSON.stringify(id)}]` : 'remove it from the policy';
  if (action === 'allow') return ['', 'Off:', ...table([['everywhere', whole]])];
  const path = `"exceptions": [{ "rules": [${JSON.stringify(id)}], "path": "^/..." }]`;
  return [
    '',
    'Off:',
    ...table([
      ['everywhere', whole],
      ['for some paths', path],
    ]),
  ];
}

function examplesText(title: string, examples: readonly string[]): string[] {
  return examples.length === 0 ? [] : ['', `${title}:`, ...examples.map((text) => `  ${printable(text) || '(empty)'}`)];
}

const productRow = ({ name, product, reveals, source }: NamedFile): Row => [
  name.replace(/^\^/, ''),
  `${product}: ${reveals} (${source})`,
];

function productsText(products: readonly NamedFile[] = []): string[] {
  return products.length === 0 ? [] : ['', 'Files of products:', ...table(products.map(productRow))];
}

const listedRow = ({ id, action, category = 'of the policy', why, active }: ListedRule, paint: Paint): Row => [
  paint('bold', readable(id)),
  action === 'block' ? 'blocks' : 'allows',
  category,
  `${active ? '' : paint('yellow', '(off) ')}${readable(why)}`,
];

export function listText({ rules }: RuleList, paint: Paint): string {
  return table(
    rules.map((rule) => listedRow(rule, paint)),
    { indent: '' },
  ).join('\n');
}

function exploitRows(exploit: ExplainedExploit | undefined): Row[] {
  if (exploit === undefined) return [];
  const { product, known = 'not in the catalogue', source, methods, query, headers, body } = exploit;
  return [
    ['product', product],
    ['exploited', known],
    ['source', source],
    ['methods', methods.join(', ')],
    ...query.map((pattern): Row => ['query', readable(pattern)]),
    ...headers.map(({ name, pattern }): Row => [`header ${name}`, readable(pattern)]),
    ...body.map((pattern): Row => ['body', readable(pattern)]),
  ];
}

export function explainText(explanation: Explanation, paint: Paint): string {
  const { id, action, origin, category, why, targets, pattern, matches, nearMisses, exceptions } = explanation;
  const verb = action === 'block' ? paint('red', 'blocks') : paint('green', 'allows');
  const kind = origin === 'built-in' ? `built-in rule, ${category}` : 'rule of the policy';
  return [
    `${paint('bold', readable(id))} ${verb}  ${paint('dim', kind)}`,
    ...(why === '' ? [] : [`  ${readable(why)}`]),
    '',
    ...table([
      ['inspects', targets.join(', ')],
      ['pattern', readable(pattern)],
      ...exploitRows(explanation.exploit),
      ['state', stateText(explanation)],
      ...exceptions.map(exceptionRow),
    ]),
    ...examplesText('Matches', matches),
    ...examplesText('Barely does not match', nearMisses),
    ...productsText(explanation.products),
    ...offText(explanation),
  ].join('\n');
}
