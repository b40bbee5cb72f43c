/** The whole probe set for a setting, in the order of its report. */
import { isSkipped, type Probe, type Skipped } from './probe.ts';
import type { Setting } from './setting.ts';
import { banProbes } from './sources/bans.ts';
import { ruleProbes } from './sources/rules.ts';
import { specificationProbes } from './sources/specification.ts';
import { upgradeProbes } from './sources/upgrades.ts';
import { type VectorCase, vectorProbes } from './sources/vectors.ts';
import { wireProbes } from './sources/wire.ts';

export interface ProbeSet {
  readonly probes: readonly Probe[];
  readonly skipped: readonly Skipped[];
}

export const splitRows = (rows: readonly (Probe | Skipped)[]): ProbeSet => ({
  probes: rows.filter((row): row is Probe => !isSkipped(row)),
  skipped: rows.filter(isSkipped),
});

export function createProbeSet(setting: Setting, vectors: readonly VectorCase[]): ProbeSet {
  const specification = specificationProbes(setting);
  const rules = ruleProbes(setting);
  const probeRequests = splitRows([...specification, ...rules]).probes.flatMap(({ requests }) => requests);
  return splitRows([
    ...specification,
    ...rules,
    ...(setting.version === undefined || setting.version === '1.1' ? upgradeProbes(setting) : []),
    ...banProbes(setting),
    ...wireProbes(setting, probeRequests),
    ...vectorProbes(setting, vectors),
  ]);
}
