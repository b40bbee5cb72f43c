/** Probes of the management API: its responses and refusals. */
import type { ApiRequest, ApiResponse } from './api.ts';
import { relayProblem } from './greet.ts';
import { type Lab, type Problem, probe, type TcpProbe } from './probe.ts';

type Row = readonly [
  name: string,
  description: string,
  request: ApiRequest,
  status: number,
  check?: (answer: ApiResponse, lab: Lab) => boolean,
];

const jsonHeaders = { 'content-type': 'application/json' };
const postRequest = (
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = jsonHeaders,
): ApiRequest => ({
  ...{ method: 'POST', path, body, headers },
});
const bodyFields = ({ body }: ApiResponse): Record<string, unknown> => JSON.parse(body);

const rows: readonly Row[] = [
  ['health', 'GET /health', { path: '/health' }, 200, (answer) => bodyFields(answer).status === 'ok'],
  ['health-open', 'GET /health without token', { path: '/health', token: null }, 200, ({ body }) => body.length < 40],
  ['ping', 'GET /ping', { path: '/ping' }, 200, ({ body }) => body.trim() === 'pong'],
  ['prefix', 'GET /api/ping', { path: '/api/ping' }, 200],
  [
    'stats',
    'GET /stats',
    { path: '/stats' },
    200,
    (answer, { plain }) => Object.hasOwn(bodyFields(answer).services as object, plain.name),
  ],
  [
    'services',
    'GET /services',
    { path: '/services' },
    200,
    ({ body }, { services }) => services.every(({ name }) => body.includes(`"${name}"`)),
  ],
  ['banlist', 'GET /banlist', { path: '/banlist' }, 200],
  ['metrics', 'GET /metrics', { path: '/metrics' }, 200],
  [
    'openapi',
    'GET /openapi.json',
    { path: '/openapi.json' },
    200,
    (answer) => typeof bodyFields(answer).openapi === 'string',
  ],
  ['no-token', 'without a token', { path: '/stats', token: null }, 401],
  ['wrong-token', 'with a wrong token', { path: '/stats', token: 'wrong-wrong-wrong-wrong' }, 401],
  ['host', 'for a foreign host', { path: '/stats', headers: { host: 'evil.example' } }, 403],
  ['origin', 'from a foreign page', { path: '/stats', headers: { origin: 'https://evil.example' } }, 403],
  [
    'type',
    'with a form',
    postRequest('/ban', 'ip=192.0.2.9', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
  ],
  ['plain', 'with plain text', postRequest('/ban', '{"ip":"192.0.2.9"}', { 'content-type': 'text/plain' }), 415],
  [
    'large',
    'with a body of 70,000 bytes',
    postRequest('/ban', JSON.stringify({ ip: '192.0.2.9', reason: 'x'.repeat(70_000) })),
    413,
  ],
  ['no-json', 'with a body that is not JSON', postRequest('/ban', '{"ip":'), 400],
  ['unknown-key', 'with an unknown key', postRequest('/ban', '{"ip":"192.0.2.9","until":"1h"}'), 400],
  ['address', 'with an invalid address', postRequest('/ban', '{"ip":"192.0.2.999"}'), 400],
  ['zero', 'with an address with a leading zero', postRequest('/ban', '{"ip":"192.0.02.9"}'), 400],
  ['wide', 'with a network that is too wide', postRequest('/ban', '{"ip":"0.0.0.0/0"}'), 400],
  ['duration', 'with a duration without unit', postRequest('/ban', '{"ip":"192.0.2.9","duration":"60"}'), 400],
  ['never', 'with an address of never_ban', postRequest('/ban', '{"ip":"127.0.0.1"}'), 409],
  ['absent', 'that lifts a missing ban', postRequest('/unban', '{"ip":"240.0.0.1"}'), 404],
  ['path', 'for an unknown path', { path: '/nothing' }, 404],
  ['method', 'with another method', { path: '/ban' }, 405, ({ headers }) => headers.allow === 'POST'],
];

function probeOf([name, description, request, status, check]: Row): TcpProbe {
  const text = /^(?:GET|POST) /.test(description) ? description : `a request ${description}`;
  return probe(`api:${name}`, text, `${status}`, async (lab) => {
    const answer = await lab.api.send(request);
    if (answer.status !== status) return `${answer.status}: ${answer.body.slice(0, 300)}`;
    return check === undefined || check(answer, lab) ? undefined : `the response is ${answer.body.slice(0, 300)}`;
  });
}

/** The event stream must report a connection. */
async function streamProblem({ api, connect, plain, nextAllowedAddress, patienceMs }: Lab): Promise<Problem> {
  const ip = nextAllowedAddress(plain);
  const { promise, resolve } = Promise.withResolvers<Problem>();
  let came = '';
  const isThere = (): boolean =>
    came
      .split('\n\n')
      .some((event) => event.includes('event: security_event') && event.includes(`"client_ip":"${ip}"`));
  const close = await api.follow((text) => {
    came += text;
    if (isThere()) resolve(undefined);
  });
  const timeout = setTimeout(() => resolve(`no event of ${ip} arrived: ${came.slice(0, 300)}`), patienceMs);
  const client = connect(plain, ip);
  await relayProblem(client, plain);
  client.close();
  const outcome = await promise;
  clearTimeout(timeout);
  close();
  return outcome;
}

async function countProblem({ api, connect, plain, nextAllowedAddress }: Lab): Promise<Problem> {
  const total = async (): Promise<number> => {
    const { services } = JSON.parse((await api.send({ path: '/stats' })).body);
    return services[plain.name].total_allowed;
  };
  const before = await total();
  await relayProblem(connect(plain, nextAllowedAddress(plain)), plain);
  const after = await total();
  return after === before + 1 ? undefined : `total_allowed went from ${before} to ${after}`;
}

export const apiProbes: readonly TcpProbe[] = [
  ...rows.map(probeOf),
  probe('api:events', 'GET /events while a client connects', 'a server-sent event of that client', streamProblem),
  probe('api:counts', 'GET /stats before and after a connection', 'one more in total_allowed', countProblem),
];
