import * as z from 'zod';

/** The scopes of a principal. docs/access.md#scopes lists the operations of each. */
export const scopeSchema = z.enum(['read', 'converse', 'operate', 'define', 'admin'], {
  error: 'a scope: read, converse, operate, define or admin',
});

export type Scope = z.output<typeof scopeSchema>;

/** Whether scopes include a needed scope. `admin` includes all; the others include only themselves. */
export function hasScope(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || scopes.includes('admin');
}

/** The authenticated sender of a request. */
export interface Principal {
  /** The name of the token. Decisions and interventions are recorded under it. */
  readonly name: string;
  /** The only tenant that the principal can reach. */
  readonly tenant?: string | undefined;
  readonly scopes: readonly Scope[];
  /** Roles of approvers, for decisions that only some people may make. */
  readonly roles: readonly string[];
  /**
   * The proof of identity: a token, the file permissions of the socket, or a connection from this computer to a service without
   * tokens.
   */
  readonly via: 'token' | 'socket' | 'loopback';
  /** Limits of this token, in place of those of the service. */
  readonly limits?: TokenLimits | undefined;
}

/** The author of decisions and interventions. */
export type Actor = Pick<Principal, 'name' | 'roles'>;

export interface TokenLimits {
  readonly requestsPerMinute?: number | undefined;
  /** Open streams at the same time. */
  readonly streams?: number | undefined;
}

/** The result of `authenticate` for a valid token. */
export interface Identity {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly tenant?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly limits?: TokenLimits | undefined;
}

const word = 'a text of 1 to 128 characters, without control characters and outer spaces';

/** The name of a token or a role. */
export const nameSchema = z.string().regex(/^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,128}(?<! )$/u, word);

/** A tenant's name is one word because it is sent in a header. */
export const tenantSchema = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, '1 to 64 letters, digits, ".", "_" or "-"');

const limit = z.number().int().min(1).optional();

const identitySchema = z.object({
  name: nameSchema,
  scopes: z.array(scopeSchema),
  tenant: tenantSchema.optional(),
  roles: z.array(nameSchema).default([]),
  limits: z.object({ requestsPerMinute: limit, streams: limit }).optional(),
});

/** The principal of a token. Throws for a malformed identity, because callbacks are not always typed. */
export function principalOf(identity: Identity): Principal {
  return { ...identitySchema.parse(identity), via: 'token' };
}

/** The sender of every request over the socket, which only the user who runs the host can open. */
export const socketPrincipal: Principal = {
  name: 'socket',
  scopes: ['admin'],
  roles: [],
  via: 'socket',
};

/** The sender of every request to a service without tokens. */
export const loopbackPrincipal: Principal = {
  name: 'loopback',
  scopes: ['admin'],
  roles: [],
  via: 'loopback',
};
