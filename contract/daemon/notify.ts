/** The section `notify`: who gets a notice of bans and problems. */
import * as z from 'zod/mini';
import { formed, refined } from '../schema/fields.ts';
import { defaulted, list, optional } from '../schema/kinds.ts';
import { type CrossCheck, entriesOf, isFields } from '../schema/problem.ts';
import { WebUrl } from '../schema/web-url.ts';
import { oneOf } from './one-of.ts';

/** What a template can have, each in braces. Values are escaped for a text of JSON. */
export const noticeFields = ['title', 'text', 'count', 'host', 'id'] as const;
export type NoticeFields = Readonly<Record<(typeof noticeFields)[number], string>>;

const mostTargets = 16;
const longestTemplate = 4096;
/** Tokens of all services that the page names are shorter. */
const longestHeader = 1024;

const placeholder = new RegExp(`\\{(${noticeFields.join('|')})\\}`, 'g');

/** Replaces the fields of a template. A replaced text is not read again. */
export const fillTemplate = (template: string, fields: NoticeFields, escaped: (text: string) => string): string =>
  template.replace(placeholder, (_, name: keyof NoticeFields) => escaped(fields[name]));

export const escapeForJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function isJsonTemplate(template: string): boolean {
  try {
    JSON.parse(fillTemplate(template, { title: 'a', text: 'a', count: '1', host: 'a', id: 'a' }, escapeForJson));
    return true;
  } catch {
    return false;
  }
}

const Template = refined(longestTemplate, (text) =>
  isJsonTemplate(text)
    ? undefined
    : `expected JSON with ${noticeFields.map((name) => `{${name}}`).join(', ')} in its texts`,
);

const headerName = formed(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header', 64);
const headerValue = formed(/^[\x20-\x7e]+$/, 'printable characters', longestHeader);

const target = () =>
  z.strictObject({
    url: optional(WebUrl, 'An address that gets JSON. {id} is an id of each message.'),
    method: defaulted(z.enum(['POST', 'PUT']), 'POST', 'For `url`: the method.'),
    headers: optional(z.record(headerName, headerValue), 'For `url` and `ntfy`: headers, such as Authorization.'),
    template: defaulted(
      Template,
      '{"text": "{text}"}',
      'For `url`: the JSON, with {title}, {text}, {count} and {host} in its texts.',
    ),
    ntfy: optional(WebUrl, 'The address of a topic of ntfy.'),
    sendmail: optional(
      formed(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}(?:@[A-Za-z0-9.-]{1,255})?$/, 'a mail address or a local user', 320),
      'A recipient, to whom sendmail(8) of this machine sends a mail.',
    ),
  });

export const notifySection = () => list(target(), mostTargets);

export type NoticeTarget = z.output<ReturnType<typeof target>>;

const kinds = ['url', 'ntfy', 'sendmail'] as const;

export const checkNotify: CrossCheck = function* (file) {
  for (const [index, entry] of entriesOf(file.notify).entries())
    if (isFields(entry)) yield* oneOf(entry, ['notify', index], { keys: kinds, usual: 'url', noun: 'target' });
};
