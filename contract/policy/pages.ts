/**
 * The default responses of the modes json, html, text and xml. `[[reason]]` is the reason code, `[[status]]` the status
 * with its name, and `[[reference]]` the note of `referenceNotes`, or nothing.
 */

/** The title of a page has only the status, because a scanner must not learn which rule to evade. */
const pageTitle = '[[status]]';

const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${pageTitle}</title>
</head>
<body>
<main>
<h1>${pageTitle}</h1>
<p>The request was blocked.</p>
[[reference]]</main>
</body>
</html>
`;

export const pages = {
  json: '{"error":{"code":"[[reason]]","message":"the request was blocked"[[reference]]}}\n',
  html,
  text: `${pageTitle}\n[[reference]]`,
  xml: '<?xml version="1.0" encoding="UTF-8"?>\n<error><code>[[reason]]</code><message>the request was blocked</message>[[reference]]</error>\n',
} as const;

export const referenceNotes = {
  json: ',"reference":"[[reference]]"',
  html: '<p>Reference: <code>[[reference]]</code></p>\n',
  text: 'Reference: [[reference]]\n',
  xml: '<reference>[[reference]]</reference>',
} as const;

export const blockedHeaders = { 'Cache-Control': 'no-store' } as const;

/** Further headers of plain text. Without them a browser could interpret the text as HTML. */
export const textHeaders = { 'X-Content-Type-Options': 'nosniff' } as const;

export const tarpitByte = '.';

export const htmlEscapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' } as const;

/** Reason phrase of a status that has no registered name. */
export const unnamedStatus = 'Blocked';

/** Names of statuses from IANA's registry. All proxies send the same names. */
export const statusNames = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  206: 'Partial Content',
  207: 'Multi-Status',
  208: 'Already Reported',
  226: 'IM Used',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  305: 'Use Proxy',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Requested Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  510: 'Not Extended',
  511: 'Network Authentication Required',
} as const;
