import * as z from 'zod';

/** What a principal may do. docs/access.md#scopes lists the operations of each. */
export const scopeSchema = z.enum(['read', 'converse', 'operate', 'define', 'admin'], {
  error: 'a scope: read, converse, operate, define or admin',
});

export type Scope = z.output<typeof scopeSchema>;

/** Whether scopes cover one. `admin` covers all; the others cover only themselves. */
export function hasScope(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || scopes.includes('admin');
}
