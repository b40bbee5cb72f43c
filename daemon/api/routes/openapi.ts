import { openApi } from '../../../contract/api/openapi.ts';
import { type Answer, json } from '../answer.ts';
import type { Route } from '../call.ts';

/** Cached with and without a token: building the document takes milliseconds. */
const made = new Map<boolean, Answer>();

export const openapi: Route<'openapi'> = ({ control, needsToken }) => {
  const key = needsToken();
  const answer = made.get(key) ?? json(openApi(control.version, key));
  made.set(key, answer);
  return answer;
};
