export { AccessError, type AccessErrorCode } from './access-error.ts';
export { auditFile, type AuditFile } from './audit-file.ts';
export type { Audit, AuditEntry } from './audit.ts';
export { addToken, listTokens, revokeToken } from './change-tokens.ts';
export type { AccessEnv, AccessVariables } from './context.ts';
export { guard, type GuardOptions } from './guard.ts';
export { guardedAccess } from './guarded-access.ts';
export { loopbackNotice, requireLoopback } from './hosts.ts';
export { type AccessLimits, connectionsMax, defaultLimits, serverOptions } from './limits.ts';
export {
  type Identity as TokenIdentity,
  loopbackPrincipal,
  type Principal,
  socketPrincipal,
  type TokenLimits,
} from './principal.ts';
export { type Authenticate, readTokens, type ReadTokensOptions } from './read-tokens.ts';
export { requireScope } from './require-scope.ts';
export { hasScope, type Scope, scopeSchema } from './scopes.ts';
export { requireNoTenant, type Tenant, tenantHeader, tenantOf } from './tenants.ts';
export { TokensError, type TokensErrorCode } from './tokens-error.ts';
export type { TokenEntry } from './tokens-text.ts';
