import type { Route } from '../call.ts';
import { ApiFailure } from '../failure.ts';

export const events: Route<'events'> = ({ hub }, { query: { service, action }, lastEventId, isHead }) => {
  if (!isHead && !hub.hasRoom())
    throw new ApiFailure('too_many_readers', undefined, { headers: { 'Retry-After': '10' } });
  return { stream: (response) => hub.follow(response, { service, action, lastEventId, isHead }) };
};
