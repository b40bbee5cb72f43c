/** `validate --nginx`: checks how the guard is used in the output of `nginx -T`. */
import type { FileProblem } from '../../../platform/errors.ts';
import { clientChecks } from './clients.ts';
import { type Config, readConfig } from './config.ts';
import { coverageChecks, isInspected } from './coverage.ts';
import { placesIn } from './dump.ts';
import type { Finding } from './finding.ts';
import { pathChecks } from './paths.ts';
import { settingChecks } from './settings.ts';
import { NginxSyntaxError } from './tokens.ts';
import { upgradeChecks } from './upgrades.ts';

export interface NginxSummary {
  readonly servers: number;
  readonly locations: number;
  /** Servers and locations whose own or inherited hook calls the guard. */
  readonly inspected: number;
}

export interface NginxFindings {
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  readonly summary: NginxSummary;
}

/** Converts a finding to a problem. Its position is a line of the dump, so the message names the file. */
const problemOf =
  (placeOf: ReturnType<typeof placesIn>) =>
  ({ level: _, message, ...finding }: Finding): FileProblem => {
    const place = placeOf(finding.line);
    return { ...finding, column: 1, message: place === undefined ? message : `${message} (${place})` };
  };

function summarize(config: Config): NginxSummary {
  const scopes = [...config.servers, ...config.locations];
  return {
    servers: config.servers.length,
    locations: config.locations.length,
    inspected: scopes.filter(isInspected).length,
  };
}

function inspectConfig(config: Config, dump: string): NginxFindings {
  const findings = [...coverageChecks, ...clientChecks, ...settingChecks, ...upgradeChecks, pathChecks]
    .flatMap((check) => [...check(config)])
    .sort((one, other) => one.line - other.line);
  const toProblem = problemOf(placesIn(dump));
  const problems = findings.filter(({ level }) => level === 'problem');
  const warnings = findings.filter(({ level }) => level === 'warning');
  return {
    problems: problems.map(toProblem),
    warnings: warnings.map(toProblem),
    summary: summarize(config),
  };
}

function brokenFindings(message: string, line: number): NginxFindings {
  const hint = 'pass the whole output of `nginx -T` for a configuration that nginx accepts';
  const problem = { kind: 'syntax', path: '', line, column: 1, message, hint };
  return { problems: [problem], warnings: [], summary: { servers: 0, locations: 0, inspected: 0 } };
}

/** Checks a configuration. @param dump output of `nginx -T`, or one configuration file */
export function validateNginx(dump: string): NginxFindings {
  try {
    const config = readConfig(dump);
    return config.http.length === 0 ? brokenFindings('there is no http block', 1) : inspectConfig(config, dump);
  } catch (error) {
    if (error instanceof NginxSyntaxError) return brokenFindings(error.message, error.line);
    throw error;
  }
}
