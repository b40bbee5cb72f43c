/** What a NO of an IMAP server says about a password. */

/** Response codes for other reasons than a wrong password (RFC 5530 3, RFC 2221 4). */
const otherCodeForm =
  /^\[(?:UNAVAILABLE|AUTHORIZATIONFAILED|EXPIRED|PRIVACYREQUIRED|CONTACTADMIN|NOPERM|INUSE|CORRUPTION|SERVERBUG|CLIENTBUG|CANNOT|LIMIT|OVERQUOTA)\]|^\[REFERRAL /i;
/** Dovecot has no code for a mechanism that it does not support. */
const unsupportedForm = /^\[ALERT\] Unsupported authentication mechanism\b/i;
const wrongPasswordForm = /^\[AUTHENTICATIONFAILED\]/i;

/** Whether the text after NO has another reason than a wrong password. */
export const hasOtherReason = (text: string): boolean => otherCodeForm.test(text) || unsupportedForm.test(text);

export const isWrongPassword = (text: string): boolean => wrongPasswordForm.test(text);
