/**
 * One line of the audit log. It has ids, and never texts of messages or values of a definition, an input or an output.
 * docs/access.md#audit
 */
export interface AuditEntry {
  /** In ISO 8601. */
  readonly at: string;
  /** The id of the request: the same in all its entries and in the response header `x-request-id`. */
  readonly request: string;
  readonly principal: string;
  readonly via: 'token' | 'socket' | 'loopback';
  readonly tenant?: string;
  /** The IP address of the client. */
  readonly address?: string;
  /** Such as `instance.pause`. */
  readonly action: string;
  /** The id of the instance, decision or definition. */
  readonly target?: string;
  /**
   * `started` is written before the action, and the outcome after it. `denied`: the token does not have the scope. A
   * `started` without an outcome means that the process ended during the action.
   */
  readonly outcome: 'started' | 'done' | 'refused' | 'failed' | 'denied';
  /** Of the response. */
  readonly status?: number;
}

/** Stores an entry before its promise fulfils. A rejection refuses the action. */
export type Audit = (entry: AuditEntry) => void | Promise<void>;
