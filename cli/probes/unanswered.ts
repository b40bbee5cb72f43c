/** Recognizes a proxy's own response for an upstream that does not answer. An error status of the upstream is an answer. */
import { STATUS_CODES } from 'node:http';
import { type HttpResponse, header, type Reply } from './response.ts';

/**
 * For an upstream that refuses the connection or is too slow (RFC 9110 15.6). Not 503: nginx also sends it to a client
 * that exceeds a rate limit.
 */
const gatewayStatuses: readonly number[] = [502, 504];

/** The page of nginx, with its status and its Server header. */
const nginxPage =
  /^<html>\r\n<head><title>(\d+) [^<]+<\/title><\/head>\r\n<body>\r\n<center><h1>[^<]+<\/h1><\/center>\r\n<hr><center>([^<]+)<\/center>/;

function isNginxPage({ status, body, headers }: HttpResponse): boolean {
  const [, shownStatus, shownServer] = nginxPage.exec(body) ?? [];
  return shownStatus === String(status) && shownServer === header({ headers }, 'server');
}

/**
 * How each proxy responds. An upstream that is itself such a proxy, in front of a dead server, can look the same behind
 * Traefik and nginx: it does not answer either.
 */
const isOwn: Readonly<Record<string, (response: HttpResponse) => boolean>> = {
  // Caddy adds Via to every response of an upstream.
  Caddy: (one) => header(one, 'server') === 'Caddy' && header(one, 'via') === undefined && one.body === '',
  Traefik: (one) => header(one, 'content-type') === undefined && one.body === STATUS_CODES[one.status],
  nginx: isNginxPage,
};

/** The proxy that sent the response because its upstream did not answer. */
export function unansweredBy(reply: Reply): string | undefined {
  if (reply.kind !== 'response' || !gatewayStatuses.includes(reply.status)) return undefined;
  return Object.keys(isOwn).find((name) => isOwn[name]?.(reply));
}
