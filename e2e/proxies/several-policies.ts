/** Caddy and Traefik with several policies. Each policy is for the paths below its name. */
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { generateCaddy } from '../../cli/generate/caddy.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { startCaddy } from '../caddy/process.ts';
import { freePort } from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';
import { routeWithGuards, startTraefik } from '../traefik/process.ts';
import { ask } from './captcha/visitor.ts';

export interface SeveralPolicies {
  readonly policies: Readonly<Record<string, object>>;
  /** Name of the policy that also handles `/.guard/captcha`. */
  readonly solutions?: string;
}

export interface Site {
  readonly port: number;
  readonly child: ChildProcess;
}

const body = 'fine';

export const caddySite = (t: TestContext, { policies, solutions }: SeveralPolicies): Promise<Site> => {
  const guards = Object.entries(policies).map(([name, policy]) => {
    const block = /^guard \{[\s\S]*?^\}$/m.exec(generateCaddy(Policy.parse(policy)))?.[0] ?? '';
    const paths = `/${name}/*${name === solutions ? ' /.guard/captcha' : ''}`;
    return `@${name} path ${paths}\n${block.replace('guard {', `guard @${name} {`)}`;
  });
  return startCaddy(t, {
    site: (port) => `http://:${port} {\nroute {\n${guards.join('\n')}\nrespond "${body}"\n}\n}\n`,
  });
};

export async function traefikSite(t: TestContext, { policies, solutions }: SeveralPolicies): Promise<Site> {
  const backend = createServer((_, answer) => answer.end(body));
  const { http } = routeWithGuards(`http://127.0.0.1:${await listen(t, backend)}`, policies) as {
    http: object;
  };
  const routers = Object.keys(policies).map((name) => {
    const rule = `PathPrefix(\`/${name}/\`)${name === solutions ? ' || Path(`/.guard/captcha`)' : ''}`;
    return [name, { rule, service: 'backend', middlewares: [name] }];
  });
  const port = await freePort();
  const entryPoint = {
    address: `127.0.0.1:${port}`,
    forwardedHeaders: { insecure: true }, // otherwise Traefik removes X-Forwarded-For
    transport: { lifeCycle: { graceTimeOut: '1s' } },
  };
  const dynamic = { http: { ...http, routers: Object.fromEntries(routers) } };
  const { child } = await startTraefik(t, dynamic, { entryPoints: { site: entryPoint } });
  const serves = (): Promise<boolean> =>
    ask(port, `/${Object.keys(policies)[0]}/`).then(
      (answer) => answer.body === body,
      () => false,
    );
  await until(serves, 'Traefik to serve');
  return { port, child };
}
