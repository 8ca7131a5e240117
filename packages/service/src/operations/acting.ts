import { hasScope } from '../access/principal.ts';
import { RequestError } from '../failure.ts';
import type { Caller } from './operation.ts';

/** Who acts: the token decides, or else the request. */
export function actorOf({ by }: { readonly by?: unknown }, { identity }: Caller): { by?: string } {
  if (identity) {
    if (by !== undefined) throw fromToken('by');
    return { by: identity.name };
  }
  if (by === undefined) return {};
  if (typeof by === 'string') return { by };
  throw new RequestError('request/invalid', 'The name of a person in "by" is a text.', {
    errors: [{ path: '/by', detail: 'Expected a text' }],
  });
}

/** Who acts, for operations that need the name of a person. */
export function personOf(given: { readonly by?: unknown }, caller: Caller): { by: string } {
  const { by } = actorOf(given, caller);
  if (by !== undefined) return { by };
  throw new RequestError('request/invalid', 'The request does not say who acts.', {
    hint: 'Give the name of the person in "by" (in a command: --as), or send a token.',
    errors: [{ path: '/by', detail: 'The name of a person' }],
  });
}

/** Who decides, and in which roles. */
export function deciderOf(
  {
    by,
    roles,
  }: { readonly by?: string | undefined; readonly roles?: readonly string[] | undefined },
  { identity }: Caller,
) {
  if (!identity) return { by, roles };
  if (by !== undefined || roles !== undefined) throw fromToken(by === undefined ? 'roles' : 'by');
  return { by: identity.name, roles: identity.roles };
}

export function requireMayForce(force: boolean | undefined, { scopes = [] }: Caller): void {
  if (force !== true || hasScope(scopes, 'admin')) return;
  throw new RequestError(
    'access/scope',
    'Only an administrator takes a conversation from its owner.',
    {
      hint: 'Use a token with the scope "admin", ask the owner, or wait until the claim expires.',
      status: 403,
    },
  );
}

function fromToken(field: string): RequestError {
  return new RequestError(
    'request/identity',
    `The token says who acts, so "${field}" is refused.`,
    {
      hint: `Leave out "${field}".`,
      errors: [{ path: `/${field}`, detail: 'The token says it.' }],
    },
  );
}
