import { visible } from '@dramaturg/compiler/text';
import type { Holder } from '@dramaturg/postgres';

/** Says who has the store that a standby waits for. */
export function waitingText(store: string, owner: Holder | undefined): string {
  const end = 'Ctrl+C ends the waiting.';
  if (owner === undefined) return `Waiting for "${store}". ${end}`;
  const { pid, host, since } = owner;
  return `Waiting for "${store}": it is in use by "${visible(owner.owner)}", process ${pid} on ${visible(host)}, since ${since}. ${end}`;
}

/**
 * Says what a host serves, and where.
 *
 * @param what the store or the namespace, in quotes
 */
export function readyText(
  what: string,
  definitions: readonly string[],
  url: string | undefined,
  hasDesk = false,
): string {
  const names = definitions.map((name) => `"${visible(name)}"`).join(', ');
  const page = hasDesk ? `, with the desk on ${url}/desk` : '';
  const where = url === undefined ? '' : ` on ${url}${page}`;
  return `Serving ${what}${names === '' ? '' : ` with ${names}`}${where}.`;
}
