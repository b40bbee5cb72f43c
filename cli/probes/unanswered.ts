/** Recognizes the response of a proxy whose upstream did not respond. */
import { STATUS_CODES } from 'node:http';
import { type HttpResponse, headerValue, type Reply } from './response.ts';

/** RFC 9110 15.6. Without 503, which nginx also sends at a rate limit. */
const gatewayStatuses: readonly number[] = [502, 504];

/** The page of nginx, with its status and its Server header. */
const nginxPage =
  /^<html>\r\n<head><title>(\d+) [^<]+<\/title><\/head>\r\n<body>\r\n<center><h1>[^<]+<\/h1><\/center>\r\n<hr><center>([^<]+)<\/center>/;

function isNginxPage({ status, body, headers }: HttpResponse): boolean {
  const [, shownStatus, shownServer] = nginxPage.exec(body) ?? [];
  return shownStatus === String(status) && shownServer === headerValue({ headers }, 'server');
}

/** Responses of each proxy itself. Behind Traefik and nginx, an upstream that is such a proxy looks the same. */
const isOwn: Readonly<Record<string, (response: HttpResponse) => boolean>> = {
  // Caddy adds Via to every response of an upstream.
  Caddy: (one) => headerValue(one, 'server') === 'Caddy' && headerValue(one, 'via') === undefined && one.body === '',
  Traefik: (one) => headerValue(one, 'content-type') === undefined && one.body === STATUS_CODES[one.status],
  nginx: isNginxPage,
};

export function unansweredBy(reply: Reply): string | undefined {
  if (reply.kind !== 'response' || !gatewayStatuses.includes(reply.status)) return undefined;
  return Object.keys(isOwn).find((name) => isOwn[name]?.(reply));
}
