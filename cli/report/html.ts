/**
 * Builds HTML with escaped values: `textHtml` and `valueHtml` escape their text. `rawHtml` does not, so its text must
 * be markup in which every value is escaped.
 */

import { htmlEscapes } from '../../contract/policy/pages.ts';
import { readable } from '../../platform/escape.ts';
import { reportBounds } from '../counting/bounds.ts';
import { grouped } from '../program/counted.ts';

export interface Html {
  readonly html: string;
}

export const rawHtml = (html: string): Html => ({ html });
export const joinHtml = (parts: readonly Html[], between = ''): Html =>
  rawHtml(parts.map(({ html }) => html).join(between));

/** Escapes a trusted text of this program. */
export const textHtml = (plain: string): Html =>
  rawHtml(plain.replace(/[&<>"']/g, (character) => htmlEscapes[character as keyof typeof htmlEscapes]));

/** Escapes a value from an event or a file name. Shows invisible characters, and cuts long values. */
export function valueHtml(hostile: string): Html {
  const { shownCharacters } = reportBounds;
  const shown = readable(hostile);
  return textHtml(shown.length > shownCharacters ? `${shown.slice(0, shownCharacters - 1)}\u2026` : shown);
}

/** Returns a count as text. A greater-or-equal sign in front shows that up to `missed` events were not counted. */
export const atLeastText = (count: number, missed: number): string => `${missed > 0 ? '\u2265 ' : ''}${grouped(count)}`;

/** Returns text such as `2026-11-22 00:00`. @param iso a time in RFC 3339 */
export const minuteText = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

export const minuteHtml = (iso: string): Html => rawHtml(`<time>${textHtml(minuteText(iso)).html}</time>`);

export interface Column<R> {
  /** Heading of the column. It may come from an event. */
  readonly title: string;
  readonly cell: (row: R) => Html;
  readonly isNumber?: boolean;
}

/** Matches a cell without information: 0 or a dash. A narrow screen omits it. */
const emptyCellPattern = /^[0\u2013]$/;

/** Returns a table. Its first column names the row. On a narrow screen, each cell shows the title of its column. */
export function tableHtml<R>(caption: string, columns: readonly Column<R>[], rows: readonly R[]): Html {
  const heads = columns.map(
    ({ title, isNumber }) => `<th scope="col"${isNumber ? ' class="n"' : ''}>${valueHtml(title).html}</th>`,
  );
  const cells = (row: R) =>
    columns.map(({ title, cell, isNumber }, index) => {
      const { html } = cell(row);
      if (index === 0) return `<th scope="row">${html}</th>`;
      const names = [...(isNumber ? ['n'] : []), ...(emptyCellPattern.test(html) ? ['none'] : [])].join(' ');
      return `<td${names && ` class="${names}"`} data-title="${valueHtml(title).html}"><span>${html}</span></td>`;
    });
  const body = rows.map((row) => `<tr>${cells(row).join('')}</tr>`).join('\n');
  const label = textHtml(caption).html;
  return rawHtml(
    `<div class="wide" role="region" tabindex="0" aria-label="${label}"><table><caption>${label}</caption>\n` +
      `<thead><tr>${heads.join('')}</tr></thead>\n<tbody>${body}</tbody></table></div>`,
  );
}
