import { AccessError } from './access-error.ts';
import { hasScope, type Principal } from './principal.ts';

/** The header in which a principal without a tenant names the tenant of a request. */
export const tenantHeader = 'dramaturg-tenant';

export interface Tenant<T> {
  readonly name: string;
  readonly value: T;
}

/**
 * The tenant of a request. A principal with a tenant reaches only that one. A principal without a tenant needs the scope `admin`
 * and names a tenant in the header. Everything else is looked up in the tenant's own store, so ids of other tenants do not exist
 * there.
 *
 * @param named the value of the header `dramaturg-tenant`
 * @throws AccessError
 */
export function tenantOf<T>(
  principal: Principal,
  named: string | undefined,
  tenants: ReadonlyMap<string, T>,
): Tenant<T> {
  const { tenant } = principal;
  if (tenant !== undefined) {
    if (named !== undefined && named !== tenant) throw foreign();
    const value = tenants.get(tenant);
    if (value === undefined) throw withoutStore();
    return { name: tenant, value };
  }
  if (!hasScope(principal.scopes, 'admin')) {
    throw new AccessError(403, 'access/tenant', 'This token belongs to no tenant.', {
      hint: 'Create a token with a tenant: dramaturg token create --tenant NAME',
    });
  }
  if (named === undefined) {
    throw new AccessError(400, 'access/tenant-needed', 'The request names no tenant.', {
      hint: `Name one in the header "${tenantHeader}".`,
    });
  }
  const value = tenants.get(named);
  if (value === undefined) {
    throw new AccessError(404, 'access/unknown-tenant', 'There is no tenant of this name.', {
      hint: `Check the header "${tenantHeader}".`,
    });
  }
  return { name: named, value };
}

/**
 * Refuses tokens of a tenant, and requests that name one, in a service without tenants.
 *
 * @throws AccessError `access/tenant`
 */
export function requireNoTenant({ tenant }: Principal, named: string | undefined): void {
  if (tenant === undefined && named === undefined) return;
  throw new AccessError(403, 'access/tenant', 'This service has no tenants.', {
    hint: 'Use a token without a tenant, and leave out the header "dramaturg-tenant".',
  });
}

function foreign(): AccessError {
  return new AccessError(403, 'access/tenant', 'This token belongs to another tenant.', {
    hint: `Leave out the header "${tenantHeader}".`,
  });
}

function withoutStore(): AccessError {
  return new AccessError(403, 'access/tenant', 'The tenant of this token has no store here.', {
    hint: 'Use the service that has the tenant, or add the tenant to this one.',
  });
}
