import type { Overflow } from '../../contract/policy/reasons.ts';

/** A security event of the guard. Every value may come from an attacker. */
export interface GuardEvent {
  readonly type: 'guard_block' | 'guard_detect';
  readonly timestamp: string;
  readonly gateway: string;
  readonly mode: string;
  readonly client_ip: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly request_uri: string;
  readonly target: string;
  readonly candidate: string;
  readonly rule_id: string;
  readonly pattern: string;
  readonly reason: string;
  readonly action: string;
  readonly status: number;
  readonly user_agent: string;
  readonly reference: string;
  /**
   * Present with reason `limit_body`, like the next two fields. `unread`: nginx could not read the body, in mode
   * detect.
   */
  readonly overflow?: Overflow | 'unread';
  readonly inspected_values?: number;
  readonly inspected_bytes?: number;
}

export const isGuardEvent = (line: { readonly type: string }): line is GuardEvent =>
  line.type === 'guard_block' || line.type === 'guard_detect';
