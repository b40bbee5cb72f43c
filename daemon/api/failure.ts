/** Ends a request with an error of contract/api/errors.ts. */
import { type ApiErrorCode, apiErrors } from '../../contract/api/errors.ts';
import type { ErrorAnswer } from '../../contract/api/records.ts';
import type { StoreState } from '../bans/ban.ts';

type Problems = ErrorAnswer['error']['problems'];

export class ApiFailure extends Error {
  readonly code: ApiErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly problems: Problems;

  /** `message`: by default the meaning of the code. */
  constructor(
    code: ApiErrorCode,
    message: string = apiErrors[code].meaning,
    extra: { headers?: Readonly<Record<string, string>>; problems?: Problems } = {},
  ) {
    super(message);
    this.code = code;
    this.headers = extra.headers ?? {};
    this.problems = extra.problems;
  }

  get status(): number {
    return apiErrors[this.code].status;
  }

  get body(): ErrorAnswer {
    const { code, message, problems } = this;
    return { error: { code, message, ...(problems && { problems }) } };
  }
}

export const tooManyRequests = (message?: string): ApiFailure =>
  new ApiFailure('too_many_requests', message, { headers: { 'Retry-After': '1', Connection: 'close' } });

/** The error for a change that is in force but not on disk. */
export const notStoredFailure = (store: StoreState): ApiFailure =>
  store === 'stalled'
    ? new ApiFailure('store_stalled', undefined, { headers: { 'Retry-After': '10' } })
    : new ApiFailure('not_durable');
