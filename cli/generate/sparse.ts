import { isDeepStrictEqual } from 'node:util';
import { Captcha, Exception, Policy, Response, Rule } from '../../contract/policy/schema.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields that differ from the defaults. An absent key counts as its default. */
export function differingFields(fields: Fields, defaults: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => value !== undefined && !isDeepStrictEqual(value, defaults[key])),
  );
}

export const ruleDefaults = (): Fields => {
  const { targets, description } = Rule.parse({ id: 'x', action: 'block', pattern: 'x' });
  return { targets, description };
};

export const exceptionDefaults = (): Fields => {
  const { hosts, clients } = Exception.parse({ rules: ['x'], path: 'x' });
  return { hosts, clients };
};

export const applicationDefaults = (): Fields => ({ hosts: exceptionDefaults().hosts });

/** Returns applications as names, or all as objects: Traefik's file provider reads no list of both. */
function sparseApplications(applications: Policy['applications']): (Fields | string)[] {
  const entries = applications.map((entry) => differingFields(entry, applicationDefaults()));
  return entries.every((entry) => Object.keys(entry).length === 1) ? entries.map(({ name }) => String(name)) : entries;
}

export const captchaDefaults = (): Fields => {
  const { provider, siteKey, ...defaults } = Captcha.parse({ provider: 'captcha-a', siteKey: 'x' });
  return defaults;
};

/** Returns the response to banned clients, whose mode has no default. */
export const sparseBanned = ({
  mode,
  ...options
}: NonNullable<NonNullable<Policy['banList']>['response']>): Fields => ({
  mode,
  ...differingFields(options, Response.parse({})),
});

/** Returns a policy without defaults and without keys that proxies do not read. Lists keep all entries. */
export function sparsePolicy(whole: Policy): Fields {
  const { $schema, tcp, rules, exceptions, applications, response, banList, ...policy } = whole;
  const { captcha, ...answer } = response;
  const reduced = {
    ...policy,
    banList: banList && { ...banList, ...(banList.response && { response: sparseBanned(banList.response) }) },
    rules: rules.map((rule) => differingFields(rule, ruleDefaults())),
    exceptions: exceptions.map((exception) => differingFields(exception, exceptionDefaults())),
    applications: sparseApplications(applications),
    response: differingFields(
      { ...answer, captcha: captcha && differingFields(captcha, captchaDefaults()) },
      Response.parse({}),
    ),
  };
  return differingFields(reduced, { ...Policy.parse({}), response: {} });
}
