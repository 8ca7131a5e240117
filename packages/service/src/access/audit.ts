/** One line of the audit log. It has ids, and never texts of messages, definitions, inputs or outputs. docs/access.md#audit */
export interface AuditEntry {
  /** The time in ISO 8601. */
  readonly at: string;
  /** The id of the request: the same in all entries of the request and in the response header `x-request-id`. */
  readonly request: string;
  readonly principal: string;
  readonly via: 'token' | 'socket' | 'loopback';
  readonly tenant?: string;
  /** The IP address of the client. */
  readonly address?: string;
  /** The name of the action, such as `instance.pause`. */
  readonly action: string;
  /** The id of the instance, decision or definition. */
  readonly target?: string;
  /**
   * `started` is written before the action, and the outcome after it. `denied`: the token does not have the scope. A
   * `started` without an outcome means that the process ended during the action.
   */
  readonly outcome: 'started' | 'done' | 'refused' | 'failed' | 'denied';
  /** The status of the response. */
  readonly status?: number;
}

/** Stores an entry before its promise fulfils. A rejection refuses the action. */
export type Audit = (entry: AuditEntry) => void | Promise<void>;
