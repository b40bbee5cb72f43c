import { reportBounds } from '../counting/bounds.ts';
import { grouped } from '../program/counted.ts';
import { type Html, joinHtml, rawHtml, tableHtml, textHtml, valueHtml } from './html.ts';
import type { ReportResult } from './result.ts';
import type { Skipped } from './tally.ts';

const causeTexts: Readonly<Record<Skipped, string>> = {
  notJson: 'lines that are not JSON',
  otherRecords: 'records of another kind',
  malformed: 'events with missing or wrong members',
  replayed: 'blocked requests of a replay, which have no time',
  tooLong: `lines of more than ${grouped(reportBounds.lineBytes)} bytes`,
  wrongTime: 'events with a time more than five minutes ahead or ten years ago',
  older: 'events before the time asked for with --since',
};

export const skippedRows = ({ skipped }: Pick<ReportResult, 'skipped'>): (readonly [string, number])[] =>
  (Object.keys(causeTexts) as Skipped[])
    .filter((cause) => skipped[cause] > 0)
    .map((cause) => [causeTexts[cause], skipped[cause]] as const);

function filesTable({ files, moreFiles }: ReportResult): Html {
  const rows = tableHtml(
    'Files',
    [
      { title: 'File', cell: ({ name }) => valueHtml(name) },
      { title: 'Lines', cell: ({ lines }) => textHtml(grouped(lines)), isNumber: true },
      { title: 'Events', cell: ({ events }) => textHtml(grouped(events)), isNumber: true },
      { title: 'Problem', cell: ({ problem }) => textHtml(problem ?? '\u2013') },
    ],
    files,
  );
  const more = moreFiles === 0 ? '' : `<p class="note">${grouped(moreFiles)} more files were read.</p>`;
  return rawHtml(`${rows.html}${more}`);
}

function skippedTable(result: ReportResult): Html {
  const rows = skippedRows(result);
  if (rows.length === 0) return rawHtml('<p>Every line was counted.</p>');
  const columns = [
    { title: 'What', cell: ([cause]: readonly [string, number]) => textHtml(cause) },
    { title: 'Number', cell: ([, count]: readonly [string, number]) => textHtml(grouped(count)), isNumber: true },
  ];
  return tableHtml('Not counted', columns, rows);
}

const { addresses, paths, rules, sources, rows, series, shownCharacters } = reportBounds;
const boundsNote =
  `Memory and page are bounded whatever the input: ${grouped(addresses)} addresses, ${grouped(paths)} paths, ` +
  `${grouped(rules)} rules and ${sources} gateways are counted one by one, and exactly while there are no more. Lists show ` +
  `the first ${rows}, charts the first ${series}, values their first ${shownCharacters} characters. IPv6 addresses are ` +
  'counted by their /64, which one client has for itself. Events of gateways hold no country and no referrer.';

export function inputSection(result: ReportResult): Html {
  const { undetailed } = result;
  const counted =
    undetailed === 0
      ? []
      : [
          rawHtml(
            `<p>${grouped(undetailed)} blocked requests are counted without details: a gateway writes at most 1,000 events a second. ` +
              'They are in the totals and in the chart by gateway alone.</p>',
          ),
        ];
  return joinHtml(
    [filesTable(result), skippedTable(result), ...counted, rawHtml(`<p class="note">${boundsNote}</p>`)],
    '\n',
  );
}
