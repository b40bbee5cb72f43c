import type { HostModel } from '../../../engine/hosts/received.ts';
import type { GuardRequest } from '../../../engine/index.ts';
import type { TestOptions } from '../../evaluate/options.ts';
import { type Field, fieldOf, insertText } from '../field.ts';
import { type Scroll, scrollBy } from '../scroll.ts';

/** Fields of the form, in the order of the screen. */
export const fieldNames = ['method', 'path', 'query', 'headers', 'body', 'address'] as const;
export type FieldName = (typeof fieldNames)[number];

export interface Host {
  readonly title: string;
  readonly model: HostModel;
}

export interface TryState {
  readonly fields: Readonly<Record<FieldName, Field>>;
  /** The focused field. Undefined when keys are commands. */
  readonly focus: FieldName | undefined;
  /** Index of the first visible line of the panes. */
  readonly offset: number;
  /** Number of the recent request that was opened and not edited since. */
  readonly opened: number | undefined;
  /** Empty until the host models are loaded. */
  readonly hosts: readonly Host[];
}

export const initialTry: TryState = {
  fields: {
    method: fieldOf('GET'),
    path: fieldOf('/static/..%252f.env'),
    query: fieldOf(''),
    headers: fieldOf(''),
    body: fieldOf(''),
    address: fieldOf(''),
  },
  focus: 'path',
  offset: 0,
  opened: undefined,
  hosts: [],
};

export type TryAction =
  | { readonly kind: 'try.edit'; readonly field: Field }
  | { readonly kind: 'try.open'; readonly request: GuardRequest; readonly number?: number }
  | { readonly kind: 'try.focus'; readonly focus: FieldName | undefined }
  | { readonly kind: 'try.move'; readonly by: 1 | -1 }
  | { readonly kind: 'try.scroll'; readonly scroll: Scroll }
  | { readonly kind: 'try.hosts'; readonly hosts: readonly Host[] };

/** Returns the fields of a request. The path field has the whole target. */
function fieldsOf({ method, target, headers, body = '', host, ip = '' }: GuardRequest): TryState['fields'] {
  const lines = [...(host ? [['Host', host] as const] : []), ...headers].map(([name, value]) => `${name}: ${value}`);
  const texts = { method, path: target, query: '', headers: lines.join('\n'), body, address: ip };
  return Object.fromEntries(
    fieldNames.map((name) => [name, insertText(fieldOf(''), texts[name], name === 'headers' || name === 'body')]),
  ) as Record<FieldName, Field>;
}

function nextFocus(focus: FieldName | undefined, by: 1 | -1): FieldName {
  const at = focus === undefined ? 0 : fieldNames.indexOf(focus) + by;
  return fieldNames[(at + fieldNames.length) % fieldNames.length] as FieldName;
}

export function reduceTry(state: TryState, action: TryAction): TryState {
  switch (action.kind) {
    case 'try.edit':
      if (state.focus === undefined) return state;
      return { ...state, offset: 0, opened: undefined, fields: { ...state.fields, [state.focus]: action.field } };
    case 'try.open':
      return { ...state, fields: fieldsOf(action.request), focus: 'path', offset: 0, opened: action.number };
    case 'try.focus':
      return { ...state, focus: action.focus };
    case 'try.move':
      return { ...state, focus: nextFocus(state.focus, action.by) };
    case 'try.scroll':
      return { ...state, offset: scrollBy(state.offset, action.scroll) };
    case 'try.hosts':
      return { ...state, hosts: action.hosts };
  }
}

export function optionsOf({ fields }: Pick<TryState, 'fields'>): TestOptions {
  const { method, path, query, headers, body, address } = fields;
  const lines = headers.text.split('\n').filter((line) => line.trim() !== '');
  return {
    method: method.text,
    path: path.text,
    ...(query.text !== '' && { query: query.text }),
    ...(lines.length > 0 && { header: lines }),
    ...(body.text !== '' && { body: body.text }),
    ...(address.text !== '' && { ip: address.text }),
  };
}
