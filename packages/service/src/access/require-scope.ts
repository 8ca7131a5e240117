import type { Context, MiddlewareHandler } from 'hono';
import { AccessError } from './access-error.ts';
import type { AuditEntry } from './audit-file.ts';
import type { AccessEnv } from './guarded-requests.ts';
import { hasScope, type Scope } from './principal.ts';

/**
 * Lets only principals with a scope pass. For the scopes of operators it writes to the audit log before and after the action. If
 * the entry before it cannot be stored, the action is refused with 503. Used after `guard`.
 *
 * @param action its name in the audit log, where the parameter `id` of the route is the target
 */
export function requireScope(scope: Scope, action: string): MiddlewareHandler<AccessEnv> {
  return async (context, next) => {
    try {
      if (isAudited(scope)) await audited(context, scope, action, next);
      else if (hasScope(context.get('principal').scopes, scope)) await next();
      else throw without(scope);
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      return error.getResponse();
    }
    return undefined;
  };
}

function isAudited(scope: Scope): boolean {
  return scope === 'operate' || scope === 'define' || scope === 'admin';
}

async function audited(
  context: Context<AccessEnv>,
  scope: Scope,
  action: string,
  next: () => Promise<void>,
): Promise<void> {
  const { audit, onError } = context.get('access');
  // Ids in a URL can be longer than those of instances.
  const target = context.req.param('id')?.slice(0, 512);
  if (!hasScope(context.get('principal').scopes, scope)) {
    await audit({ action, target, outcome: 'denied', status: 403 }).catch(onError);
    throw without(scope);
  }
  await audit({ action, target, outcome: 'started' });
  await next();
  const { status } = context.res;
  // The action has happened, so its answer is sent even if this entry is lost. The entry `started` is stored.
  await audit({ action, target, outcome: outcomeOf(status), status }).catch(onError);
}

function outcomeOf(status: number): AuditEntry['outcome'] {
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

function without(scope: Scope): AccessError {
  return new AccessError(403, 'access/scope', `This needs a token with the scope "${scope}".`, {
    hint: `Create one with: dramaturg token create --name NAME --scope ${scope}`,
    headers: {
      'www-authenticate': `Bearer realm="dramaturg", error="insufficient_scope", scope="${scope}"`,
    },
  });
}
