import { openApi } from '../../../contract/api/openapi.ts';
import { type Answer, json } from '../answer.ts';
import type { Route } from '../call.ts';

/** It takes milliseconds to make and is always the same, with a token and without. */
const made = new Map<boolean, Answer>();

export const openapi: Route<'openapi'> = ({ control, needsToken }) => {
  const key = needsToken();
  const answer = made.get(key) ?? json(openApi(control.version, key));
  made.set(key, answer);
  return answer;
};
