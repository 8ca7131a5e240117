import { isUnknownInstance } from '@dramaturg/host/engine';

/** Whether an instance was erased, or is damaged. */
export function isGone(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return isUnknownInstance(error) || code === 'host/unknown-definition' || code === 'store/damaged';
}
