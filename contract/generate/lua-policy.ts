import { applications, fileRules } from '../policy/applications.ts';
import { bodilessStatuses, captchaKeys, type ModeRow, modes } from '../policy/modes.ts';
import { connectionHeaders, framingHeaders } from '../policy/schema.ts';
import { literalBounds } from '../regex/literals.ts';
import { ambiguityReason, refusals } from '../regex/refusals.ts';
import { snakeCase } from '../values/keys.ts';
import { builtInPresets } from '../values/presets.ts';
import { type Field, policyFields } from './fields.ts';
import { luaExpression, luaHeader, type Value } from './lua.ts';

const setOf = (keys: readonly (number | string)[]): Value => Object.fromEntries(keys.map((key) => [key, true]));

function fieldRow({ key, required, fallback, form, ...rest }: Field): Value {
  // PCRE's $ also matches before a newline at the end.
  const whole = form?.replace(/\$$/, '\\z');
  return { key, ...rest, required: required || undefined, default: fallback, form: whole };
}

function modeRow(name: string, row: ModeRow): Value {
  return {
    status_code: row.statusCode ?? undefined,
    status_codes: row.statusCodes,
    content_type: row.contentType,
    options: row.options.map(snakeCase),
    holds: row.holdsRequests,
    shows_reference: row.showsReference,
    name,
  };
}

const lines = (rows: readonly string[]): string => rows.map((row) => `        ${row},\n`).join('');

/** Returns `module/lua/guard/policy/tables.lua`. */
export function luaPolicyTables(): string {
  const modeRows = Object.entries(modes).map(([name, row]) => `${name} = ${luaExpression(modeRow(name, row))}`);
  const reasons = Object.entries({ ...refusals, ambiguous: ambiguityReason }).map(
    ([name, text]) => `${snakeCase(name)} = ${luaExpression(text)}`,
  );
  const profiles = applications.map(
    ({ name, basePaths, passages }) =>
      `[${luaExpression(name)}] = ${luaExpression({ base_path: basePaths[0]?.replace(/\/$/, '') ?? '', passages })}`,
  );
  const presets = builtInPresets.map(
    ({ name, isEdge, networks }) =>
      `[${luaExpression(name)}] = ${luaExpression({ is_edge: isEdge || undefined, networks })}`,
  );
  const sections = [
    `    -- Keys in snake_case; the entries of a list are under [], the values of a mapping under *.\n    fields = {\n${lines(policyFields().map((field) => luaExpression(fieldRow(field))))}    },\n`,
    `    modes = {\n${lines(modeRows)}    },\n`,
    `    refusals = {\n${lines(reasons)}    },\n`,
    `    literal_bounds = ${luaExpression(literalBounds)},\n`,
    `    captcha_keys = ${luaExpression(captchaKeys.map(({ key, providers }) => ({ key: snakeCase(key), providers })))},\n`,
    `    bodiless_statuses = ${luaExpression(bodilessStatuses)},\n`,
    `    connection_headers = ${luaExpression(setOf(connectionHeaders))},\n`,
    `    file_rules = ${luaExpression(fileRules)},\n`,
    `    applications = {\n${lines(profiles)}    },\n`,
    `    presets = {\n${lines(presets)}    },\n`,
    `    framing_headers = ${luaExpression(setOf(framingHeaders))},\n`,
  ];
  return `${luaHeader}\nreturn {\n${sections.join('')}}\n`;
}
