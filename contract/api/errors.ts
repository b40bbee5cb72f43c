/** Every error that the management API answers with: stable codes, their statuses and what they mean. */

interface ErrorRow {
  readonly status: number;
  /** What happened, as a sentence; the message of an answer says what exactly. */
  readonly meaning: string;
}

export const apiErrors = {
  bad_request: { status: 400, meaning: 'The request is not one of HTTP, or is ambiguous.' },
  bad_query: { status: 400, meaning: 'A parameter is unknown, repeated or not of its form.' },
  bad_body: {
    status: 400,
    meaning: 'The body is missing, is not JSON, or has a key that is unknown or not of its form.',
  },
  bad_address: { status: 400, meaning: 'Not an address or network, or one wider than /8 (IPv4) or /32 (IPv6).' },
  unauthorized: { status: 401, meaning: 'The token is missing or wrong.' },
  forbidden_host: { status: 403, meaning: 'The Host header is not in `api.allowed_hosts`.' },
  forbidden_origin: { status: 403, meaning: 'The request comes from a page of another origin.' },
  not_found: { status: 404, meaning: 'There is nothing at this path.' },
  not_banned: { status: 404, meaning: 'Exactly this address or network is not banned; a wider ban may cover it.' },
  no_service: { status: 404, meaning: 'No service of the configuration has this name.' },
  method_not_allowed: { status: 405, meaning: 'The path has other methods: the Allow header names them.' },
  timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  never_ban: { status: 409, meaning: 'The address is in `global.never_ban`, or the network covers one that is.' },
  too_large: { status: 413, meaning: 'The body is too long, or there should be none.' },
  unsupported_media_type: { status: 415, meaning: 'The body is not declared as application/json.' },
  invalid_configuration: { status: 422, meaning: 'The configuration is not valid, and the old one stays.' },
  too_many_requests: { status: 429, meaning: 'Too many requests; Retry-After says when to go on.' },
  too_many_readers: { status: 429, meaning: 'Too many readers follow the events.' },
  headers_too_large: { status: 431, meaning: 'The headers are too long or too many.' },
  internal: { status: 500, meaning: 'A fault of the daemon; its log says more.' },
  not_durable: {
    status: 507,
    meaning: 'It is done, and could not be written to disk: a restart undoes it unless the disk is well before.',
  },
  too_many_bans: { status: 507, meaning: 'More bans than are kept; nothing was changed.' },
} as const satisfies Record<string, ErrorRow>;

export type ApiErrorCode = keyof typeof apiErrors;
