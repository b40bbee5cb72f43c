/** Bounds of notices of bans and problems. */
export const noticeBounds = {
  /** Milliseconds from the first event to its message: a burst is one message. */
  noticeCollectMs: 2000,
  /** Milliseconds between two messages to a target: services limit senders to about one a second, and people read. */
  noticePauseMs: 60_000,
  /** Milliseconds between two looks for new problems. */
  noticeProblemsMs: 10_000,
  /** Bans, and problems, that a message names. Further ones are counted. */
  noticeItems: 5,
  /** Characters of a message. Discord takes 2,000, Telegram 4,096. */
  noticeCharacters: 1500,
  /** Milliseconds for one attempt. */
  noticeMs: 15_000,
  /** Milliseconds until a message is sent again: the first delay, and the longest one while a target is down. */
  noticeRetryMs: { first: 10_000, most: 15 * 60_000 },
  /** Where each mail server for Linux puts this program. */
  sendmailPath: '/usr/sbin/sendmail',
} as const;
