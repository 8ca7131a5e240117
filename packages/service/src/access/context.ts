import type { HttpBindings } from '@hono/node-server';
import type { AuditEntry } from './audit.ts';
import type { Principal } from './principal.ts';

/** The values that the guard gives to the routes after it. */
export interface AccessEnv {
  /** Absent where a test calls the application without a server. */
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: AccessVariables;
}

export interface AccessVariables {
  readonly principal: Principal;
  /** The id of the request, as in the header `x-request-id` of the response and in the audit log. */
  readonly requestId: string;
  /** The address of the client, in requests for channels. */
  readonly address?: string | undefined;
  readonly access: RequestAccess;
}

/** The guard's functions for a single request. */
export interface RequestAccess {
  /** Stores an entry. Rejects with an AccessError `access/audit`. */
  readonly audit: (entry: ActionEntry) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** The part of an entry that the route knows. */
export type ActionEntry = Pick<AuditEntry, 'action' | 'outcome'> & {
  readonly target: string | undefined;
  readonly status?: number;
};
