/** Builds the page: one HTML file that loads nothing and runs no script, so that it can be mailed and printed. */

import { createHash } from 'node:crypto';
import type { Outcome } from '../../contract/events/members.ts';
import { grouped } from '../program/counted.ts';
import { drawChart } from './chart.ts';
import { suspicion } from './document.ts';
import {
  type Column,
  type Html,
  joinHtml,
  minuteHtml,
  minuteText,
  rawHtml,
  tableHtml,
  textHtml,
  valueHtml,
} from './html.ts';
import { inputSection } from './input-section.ts';
import {
  addressList,
  answeredList,
  bothLayersList,
  countryList,
  pathList,
  ruleList,
  sourceList,
  suspectList,
} from './lists.ts';
import type { ChartSeries, ReportResult } from './result.ts';
import { style } from './style.ts';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: (result: ReportResult) => Html;
}

const styleHash = createHash('sha256').update(style).digest('base64');
const contentPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;

const timeOrNone = (iso: string | null): string => (iso === null ? 'none' : `${minuteHtml(iso).html} UTC`);
const paragraphHtml = (plain: string): Html => rawHtml(`<p>${textHtml(plain).html}</p>`);

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Returns text such as `15 minutes`. */
function lengthText(ms: number): string {
  const [unit, length] = units.find(([, one]) => ms >= one) ?? units[2];
  const amount = Math.round(ms / length);
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

const withDetected = ({ totals: { detected } }: ReportResult, content: Html): Html =>
  detected === 0
    ? content
    : joinHtml([paragraphHtml('Also counts the requests that a policy in mode detect only reported.'), content], '\n');

function timeSection(id: string, title: string, result: ReportResult, series: readonly ChartSeries[]): Html {
  const { starts, bucketMs } = result.timeline;
  if (series.length === 0) return rawHtml('<p>None.</p>');
  const width = lengthText(bucketMs);
  const summary = `Stacked bars of ${width}, from ${minuteText(starts[0] ?? '')} UTC. The table below has the numbers.`;
  const at = { id, title, summary, starts: starts.map((start) => Date.parse(start)), bucketMs, series };
  const columns: Column<number>[] = [
    { title: 'From (UTC)', cell: (index) => minuteHtml(starts[index] ?? '') },
    ...series.map(({ name, counts }) => ({
      title: name,
      cell: (index: number) => textHtml(grouped(counts[index] ?? 0)),
      isNumber: true,
    })),
  ];
  const isFilled = (index: number) => series.some(({ counts }) => (counts[index] ?? 0) > 0);
  const filled = [...starts.keys()].filter(isFilled);
  const numbers = tableHtml(`${title}: requests in ${width}; times without any are left out`, columns, filled);
  const drawn = drawChart(at, ({ name }) => valueHtml(name));
  const inNumbers = rawHtml(`<details><summary>Numbers of this chart</summary>${numbers.html}</details>`);
  return withDetected(result, joinHtml([drawn, inNumbers], '\n'));
}

const suspicionText =
  `Rules of gateways that at least ${suspicion.clients} clients ran into with at most ${suspicion.perClient} requests each on ` +
  'average. A scanner sends many requests from one address; visitors who meet a rule by accident send a few each. A scan ' +
  'from many addresses looks the same, so look at the paths before you write an exception.';

const sections: readonly Section[] = [
  { id: 'sources', title: 'Gateways and tcp-guard', content: ({ sources }) => sourceList(sources) },
  {
    id: 'time',
    title: 'Blocked over time by gateway',
    content: (result) => timeSection('by-source', 'Blocked over time by gateway', result, result.timeline.bySource),
  },
  {
    id: 'time-rules',
    title: 'Blocked over time by rule',
    content: (result) => timeSection('by-rule', 'Blocked over time by rule', result, result.timeline.byRule),
  },
  { id: 'rules', title: 'Rules', content: ({ rules }) => ruleList(rules) },
  {
    id: 'suspects',
    title: 'Possible false positives',
    content: ({ suspects }) => joinHtml([paragraphHtml(suspicionText), suspectList(suspects)], '\n'),
  },
  {
    id: 'answered',
    title: 'What clients with blocked requests got',
    content: ({ answered }) => answeredList(answered),
  },
  { id: 'addresses', title: 'Addresses', content: ({ addresses }) => addressList(addresses) },
  { id: 'both', title: 'Addresses on both layers', content: ({ bothLayers }) => bothLayersList(bothLayers) },
  { id: 'countries', title: 'Countries', content: ({ countries }) => countryList(countries) },
  { id: 'paths', title: 'Paths', content: (result) => withDetected(result, pathList(result.paths)) },
  { id: 'input', title: 'What was read', content: inputSection },
];

const cards = [
  ['Blocked', 'blocked'],
  ['Would be blocked (mode detect)', 'detected'],
  ['Failed logins', 'auth_failure'],
  ['Bans', 'banned'],
] as const satisfies readonly (readonly [string, Outcome])[];

function cardHtml(term: string, sum: string, before?: number): string {
  const compared = before === undefined ? '' : `<dd class="before">period before: ${grouped(before)}</dd>`;
  return `<div><dt>${textHtml(term).html}</dt><dd>${textHtml(sum).html}</dd>${compared}</div>`;
}

function totalsHtml({ totals: sums, before, addresses }: ReportResult): Html {
  const distinct = `${addresses.exact ? '' : 'more than '}${grouped(addresses.distinct)}`;
  const items = [
    ...cards.map(([term, outcome]) => cardHtml(term, grouped(sums[outcome]), before?.[outcome])),
    cardHtml('Addresses', distinct),
  ];
  return rawHtml(`<dl class="totals">${items.join('')}</dl>`);
}

const titleOf = ({ site }: ReportResult): string =>
  `What was blocked${site === null ? '' : ` at ${valueHtml(site).html}`}`;

function headHtml(result: ReportResult): Html {
  const { first, last, since, generated } = result;
  const asked = since === null ? '' : ` Events from ${timeOrNone(since)} on were asked for.`;
  const period = first === null ? 'No events.' : `Events from ${timeOrNone(first)} to ${timeOrNone(last)}.`;
  return rawHtml(
    `<h1>${titleOf(result)}</h1>\n<p>${period}${asked} Written ${timeOrNone(generated)}.</p>\n${totalsHtml(result).html}`,
  );
}

export function pageOf(result: ReportResult): string {
  const links = sections.map(({ id, title }) => `<li><a href="#${id}">${textHtml(title).html}</a></li>`).join('');
  const body = sections.map(
    ({ id, title, content }) =>
      `<section aria-labelledby="${id}"><h2 id="${id}">${textHtml(title).html}</h2>\n${content(result).html}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${titleOf(result)}</title>
<style>${style}</style>
</head>
<body>
<header>${headHtml(result).html}
<nav aria-label="Sections"><ul>${links}</ul></nav></header>
<main>
${body.join('\n')}
</main>
</body>
</html>`;
}
