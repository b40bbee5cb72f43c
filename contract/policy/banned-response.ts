import type { BannedResponse, Response } from './response.ts';

interface Responses {
  readonly response: Response;
  readonly banList?: { readonly response?: BannedResponse | undefined } | undefined;
}

/**
 * Returns the response to a blocked request, of a banned client or another one. A solved captcha does not lift a ban, so
 * the response of mode text replaces that of mode captcha.
 */
export function policyResponse({ response, banList }: Responses, isBanned: boolean): Response {
  if (!isBanned) return response;
  if (banList?.response) return banList.response;
  if (response.mode !== 'captcha') return response;
  return {
    ...response,
    mode: 'text',
    statusCode: undefined,
    contentType: undefined,
    body: undefined,
    captcha: undefined,
  };
}
