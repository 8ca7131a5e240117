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
