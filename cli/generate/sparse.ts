/** A policy reduced to what it says: the keys that differ from the defaults, for targets that nest as guard.json does. */
import { isDeepStrictEqual } from 'node:util';
import { Captcha, Exception, Policy, Response, Rule } from '../../contract/policy/schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Keys of `fields` that differ from `defaults`; an absent key differs from none. */
function differing(fields: Fields, defaults: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => value !== undefined && !isDeepStrictEqual(value, defaults[key])),
  );
}

const ruleDefaults = (): Fields => {
  const { targets, description } = Rule.parse({ id: 'x', action: 'block', pattern: 'x' });
  return { targets, description };
};

const exceptionDefaults = (): Fields => ({ hosts: Exception.parse({ rules: ['x'], path: 'x' }).hosts });

const captchaDefaults = (): Fields => {
  const { provider, siteKey, ...defaults } = Captcha.parse({ provider: 'captcha-a', siteKey: 'x' });
  return defaults;
};

/** In the order of the policy, without what proxies do not read. Lists are whole: only their entries are reduced. */
export function sparse({ $schema, tcp, rules, exceptions, response, ...policy }: Policy): Fields {
  const { captcha, ...answer } = response;
  const reduced = {
    ...policy,
    rules: rules.map((rule) => differing(rule, ruleDefaults())),
    exceptions: exceptions.map((exception) => differing(exception, exceptionDefaults())),
    response: differing({ ...answer, captcha: captcha && differing(captcha, captchaDefaults()) }, Response.parse({})),
  };
  return differing(reduced, { ...Policy.parse({}), response: {} });
}
