import { openApi } from '../../../contract/api/openapi.ts';
import type { OperationName } from '../../../contract/api/operations.ts';
import { type Answer, jsonAnswer, textAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import { ApiFailure } from '../failure.ts';
import { ban } from './ban.ts';
import { banlist } from './banlist.ts';
import { health } from './health.ts';
import { metrics } from './metrics.ts';
import { reload } from './reload.ts';
import { report } from './report.ts';
import { stats } from './stats.ts';
import { unban } from './unban.ts';

type Routes = { readonly [Name in OperationName]: Route<Name> };

/** Building a document takes milliseconds. */
const documents = new Map<boolean, Answer>();

const openapi: Route<'openapi'> = ({ control, needsToken }) => {
  const key = needsToken();
  const answer = documents.get(key) ?? jsonAnswer(openApi(control.version, key));
  documents.set(key, answer);
  return answer;
};

const events: Route<'events'> = ({ hub }, { query: { service, action }, lastEventId, isHead }) => {
  if (!isHead && !hub.hasRoom())
    throw new ApiFailure('too_many_readers', undefined, { headers: { 'Retry-After': '10' } });
  return { stream: (response) => hub.follow(response, { service, action, lastEventId, isHead }) };
};

export const routes: Routes = {
  health,
  ping: () => textAnswer('pong\n'),
  stats,
  services: ({ control }) => jsonAnswer(control.services()),
  banlist,
  ban,
  unban,
  events,
  report,
  reload,
  metrics,
  openapi,
};
