import { unlessErased } from '../errors.ts';
import type { Wait } from './standing.ts';
import type { InstanceView } from './view.ts';

/** Why a conversation does nothing now. `answered`: it waits for its contact. `waits`: for a time, an event, or another contact. */
export type Rest =
  | 'answered'
  | 'failed'
  | 'paused'
  | 'taken_over'
  | 'waits_for_person'
  | 'waits'
  | 'ended';

type Standing = Pick<
  InstanceView,
  'contact' | 'ended' | 'queue' | 'owner' | 'waits' | 'isAnswering' | 'children'
>;

/**
 * Why an instance does nothing now; undefined while it does. A message that waits for its turn counts as work. An instance whose
 * agents all wait does too.
 */
export async function restOf(
  host: { readonly get: (id: string) => Promise<Standing> },
  view: Standing,
): Promise<Rest | undefined> {
  const own = ownRest(view);
  const { children, waits, contact } = view;
  const isBusy = waits.some((wait) => wait.for === 'call' && wait.instance === undefined);
  if (own !== undefined || isBusy || children.length === 0) return own;
  let all: Rest = 'waits';
  for (const id of children) {
    // A child is stored after the step that calls it.
    const child = await unlessErased(host.get(id));
    if (!child) return undefined;
    const rest = await restOf(host, child);
    // The agent goes on with the same contact, or its caller does.
    const isSame = rest === 'answered' && child.contact === contact;
    if (rest === undefined || isSame || rest === 'ended') return undefined;
    if (rest !== 'waits' && rest !== 'answered') all = 'waits_for_person';
  }
  return all;
}

function ownRest({ ended, queue, owner, waits, isAnswering }: Standing): Rest | undefined {
  if (ended) return 'ended';
  if (owner !== undefined) return 'taken_over';
  if (queue === 'paused') return 'paused';
  if (queue === 'failed') return 'failed';
  const works = waits.some((wait) => wait.for === 'call' || wait.for === 'retry');
  if (queue === 'decisions' ? !works : queue !== undefined) return 'waits_for_person';
  if (!isAnswering) return 'answered';
  const isOutside = (wait: Wait) => wait.source === 'flow' && outside.has(wait.for);
  return !works && waits.some(isOutside) ? 'waits' : undefined;
}

/** What a turn waits for that is not its own work. */
const outside: ReadonlySet<Wait['for']> = new Set(['timer', 'token', 'event']);
