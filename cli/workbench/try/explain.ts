import type { AllowedReason } from '../../../contract/policy/reasons.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { Trace, TracedTarget } from '../../../engine/index.ts';
import { printable } from '../../../platform/escape.ts';
import { counted } from '../../program/counted.ts';

const bypassTexts: Partial<Record<AllowedReason, string>> = {
  disabled: 'the policy is not enabled: nothing is inspected',
  method_not_inspected: 'the method is not inspected',
  allowed_ip: 'the client address is in allowedIps',
};

function targetStep({ target, candidates, limit }: TracedTarget): { readonly text: string; readonly isEnd: boolean } {
  const name = printable(target);
  const blocked = candidates.findIndex(({ blockedBy }) => blockedBy !== undefined);
  const excused = candidates.filter(({ excusedBy }) => excusedBy !== undefined).length;
  const found = candidates[blocked];
  if (found) {
    return { text: `${name}: candidate ${blocked + 1} matches ${printable(found.blockedBy ?? '')}`, isEnd: true };
  }
  const all = counted(candidates.length, 'candidate');
  if (limit) return { text: `${name}: stopped after ${all} by ${limit}`, isEnd: true };
  const exempt = excused === 0 ? '' : `, ${excused} excused by an allow rule`;
  return { text: `${name}: ${all}, no block rule matches${exempt}`, isEnd: false };
}

function exceptionSteps({ exceptions }: Trace): string[] {
  return exceptions.map(({ name, missed, excused }) => {
    if (missed) return `${name} does not apply: ${missed}`;
    return excused.length === 0
      ? `${name} applies, none of its rules matches`
      : `${name} turns off ${excused.map(printable).join(', ')}`;
  });
}

function inspectionSteps({ targets }: Trace): string[] {
  const steps = targets.map(targetStep);
  const end = steps.findIndex(({ isEnd }) => isEnd);
  if (end < 0) return steps.map(({ text }) => text);
  const later = targets.length - end - 1;
  const rest = later === 0 ? [] : [`${counted(later, 'later value')} not needed`];
  return [...steps.slice(0, end + 1).map(({ text }) => text), ...rest];
}

/** Explains a verdict: one sentence for each step. The last one is the effect. */
export function explainTrace(trace: Trace, { mode }: Policy): string[] {
  const { verdict } = trace;
  const bypass = verdict.verdict === 'allowed' ? bypassTexts[verdict.reason as AllowedReason] : undefined;
  if (bypass !== undefined) return [bypass, 'the request is passed on'];
  const rule = verdict.rule === undefined ? '' : ` by ${printable(verdict.rule)}`;
  const effect =
    verdict.verdict === 'allowed'
      ? `allowed${rule}: the request is passed on`
      : `blocked${rule}${mode === 'detect' ? ', only reported: mode is detect' : ''}`;
  return [...exceptionSteps(trace), ...inspectionSteps(trace), effect];
}
