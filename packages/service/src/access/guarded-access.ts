import type { MiddlewareHandler } from 'hono';
import { operations } from '../operations.ts';
import type { ServedOperations } from '../operations/in-process.ts';
import type { Operation } from '../operations/operation.ts';
import type { Access, ServiceEnv } from '../server/app.ts';
import type { AccessEnv, GuardOptions } from './guarded-requests.ts';
import { channelGuard, guard } from './guard.ts';
import { AccessError } from './access-error.ts';
import { requireScope } from './require-scope.ts';
import { requireNoTenant, tenantHeader, tenantOf } from './tenants.ts';

/** The values of a request after the guard, in a service. */
interface Env {
  readonly Bindings: ServiceEnv['Bindings'];
  readonly Variables: ServiceEnv['Variables'] & AccessEnv['Variables'];
}

/**
 * Token-controlled access to one host, or to one host for each tenant. See `GuardOptions`; without `authenticate`, the server may
 * listen on loopback only (`requireLoopback`).
 *
 * @param hosts the host, or the hosts by the names of their tenants
 */
export function guardedAccess(
  hosts: ServedOperations | ReadonlyMap<string, ServedOperations>,
  options: GuardOptions = {},
): Access {
  const check = guard(options) as unknown as MiddlewareHandler<Env>;
  const admit: MiddlewareHandler<Env> = (context, next) =>
    check(context, async () => {
      const { principal } = context.var;
      const named = context.req.header(tenantHeader);
      if (!(hosts instanceof Map)) requireNoTenant(principal, named);
      const host = hosts instanceof Map ? tenantOf(principal, named, hosts).value : hosts;
      context.set('host', host as ServedOperations);
      // If no token is required, the request may say who acts.
      const { name, roles, scopes, via } = principal;
      context.set('scopes', scopes);
      if (via === 'token') context.set('identity', { name, roles });
      await next();
    });
  return {
    admit: admit as unknown as MiddlewareHandler<ServiceEnv>,
    admitToChannel: (bodyBytesOf) =>
      channelGuard(options, bodyBytesOf) as unknown as MiddlewareHandler<ServiceEnv>,
    permit: (scope, action) => {
      const permits = requireScope(scope, action);
      const row = (operations as Readonly<Record<string, Operation>>)[action];
      const refuses = row?.writesToMachine ? withoutTenant(permits) : permits;
      return refuses as unknown as MiddlewareHandler<ServiceEnv>;
    },
  };
}

function withoutTenant(permits: MiddlewareHandler<AccessEnv>): MiddlewareHandler<AccessEnv> {
  return async (context, next) => {
    if (context.get('principal').tenant === undefined) return permits(context, next);
    return new AccessError(
      403,
      'access/tenant',
      'A backup is written to the machine of the service, which is not of this tenant alone.',
      { hint: 'Use a token with the scope "admin" that belongs to no tenant.' },
    ).getResponse();
  };
}
