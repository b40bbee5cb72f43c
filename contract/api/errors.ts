/** The errors of the management API. Codes are stable. */

interface ErrorRow {
  readonly status: number;
  /** A sentence for the documentation, and the default message of a response. */
  readonly meaning: string;
}

export const apiErrors = {
  bad_request: { status: 400, meaning: 'The request is not valid HTTP, or is ambiguous.' },
  bad_query: { status: 400, meaning: 'A parameter is unknown, repeated or invalid.' },
  bad_body: {
    status: 400,
    meaning: 'The body is missing, is not JSON, or has an unknown key or an invalid value.',
  },
  bad_address: {
    status: 400,
    meaning:
      'The value is not an address or network, the network is wider than /8 (IPv4) or /32 (IPv6), or no client has it (0.0.0.0/8, ::).',
  },
  unauthorized: { status: 401, meaning: 'The token is missing or wrong.' },
  forbidden_host: { status: 403, meaning: 'The Host header is not in `api.allowed_hosts`: add it there.' },
  forbidden_origin: { status: 403, meaning: 'The request comes from a web page of another origin.' },
  not_found: { status: 404, meaning: 'The path does not exist.' },
  not_banned: { status: 404, meaning: 'This exact address or network is not banned; a wider ban can cover it.' },
  not_exempt: { status: 404, meaning: 'This exact address or network has no exemption with an end.' },
  no_service: { status: 404, meaning: 'The configuration has no service of this name.' },
  method_not_allowed: { status: 405, meaning: 'The method is not allowed: the Allow header lists the allowed ones.' },
  timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  never_ban: {
    status: 409,
    meaning:
      'All of the address or network is in `global.never_ban`, is exempt for a time, or belongs to this host. A ban of a wider network is in force for its other addresses.',
  },
  other_listing: {
    status: 409,
    meaning: 'The cursor is not of this listing: request its first page without a cursor.',
  },
  ssh_client: {
    status: 409,
    meaning:
      'A client of the SSH server of this host would be locked out, because `bans.scope` is `host`. Set `force` if it is not you.',
  },
  edge_network: {
    status: 409,
    meaning:
      'The address or network has addresses of a CDN or a load balancer: the ban would refuse all clients behind it. `force` bans it.',
  },
  too_large: { status: 413, meaning: 'The body is too long, or the operation takes none.' },
  unsupported_media_type: { status: 415, meaning: 'The Content-Type of the body is not application/json.' },
  expectation_failed: { status: 417, meaning: 'The Expect header is not 100-continue.' },
  invalid_configuration: { status: 422, meaning: 'The configuration is invalid, and the previous one stays in force.' },
  too_many_requests: { status: 429, meaning: 'Too many requests: retry after the seconds in Retry-After.' },
  too_many_readers: { status: 429, meaning: 'Too many clients read the event stream: disconnect one.' },
  headers_too_large: { status: 431, meaning: 'The headers are too long or too many.' },
  internal: { status: 500, meaning: 'Internal error of the daemon; see its log.' },
  store_stalled: {
    status: 503,
    meaning:
      'The change is in force, but the disk does not respond: retry after the seconds in Retry-After to learn whether it was written.',
  },
  not_durable: {
    status: 507,
    meaning: 'The change is in force, but writing it to disk failed: a restart before the disk recovers undoes it.',
  },
  too_many_exemptions: { status: 507, meaning: 'There are 1,024 exemptions; nothing was changed.' },
  too_many_bans: { status: 507, meaning: 'The table of bans is full; nothing was changed.' },
} as const satisfies Record<string, ErrorRow>;

export type ApiErrorCode = keyof typeof apiErrors;
