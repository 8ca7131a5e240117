import type { InstanceView } from './view.ts';

/** Why a conversation does nothing now. `answered`: it waits for its contact. */
export type Rest = 'answered' | 'failed' | 'paused' | 'taken_over' | 'waits_for_person' | 'ended';

type Standing = Pick<
  InstanceView,
  'ended' | 'queue' | 'owner' | 'waits' | 'isAnswering' | 'children'
>;

/**
 * Why an instance does nothing now; undefined while it does. A message that waits for its turn counts as work. An instance whose
 * agents all wait for people waits for them too.
 */
export async function restOf(
  host: { readonly get: (id: string) => Promise<Standing> },
  view: Standing,
): Promise<Rest | undefined> {
  const own = ownRest(view);
  const { children, waits } = view;
  const isBusy = waits.some((wait) => wait.for === 'call' && wait.instance === undefined);
  if (own !== undefined || isBusy || children.length === 0) return own;
  for (const id of children) {
    const rest = await restOf(host, await host.get(id));
    if (rest === undefined || rest === 'answered' || rest === 'ended') return undefined;
  }
  return 'waits_for_person';
}

function ownRest({ ended, queue, owner, waits, isAnswering }: Standing): Rest | undefined {
  if (ended) return 'ended';
  if (owner !== undefined) return 'taken_over';
  if (queue === 'paused') return 'paused';
  if (queue === 'failed') return 'failed';
  const works = waits.some((wait) => wait.for === 'call' || wait.for === 'retry');
  if (queue === 'decisions' ? !works : queue !== undefined) return 'waits_for_person';
  return isAnswering ? undefined : 'answered';
}
