import type { SpokenLine } from '@dramaturg/compiler';
import type { TranscriptLine } from '../instance/event.ts';
import type { Store } from '../store/contract.ts';

/** A store gives no more lines at once. */
const mostLines = 10_000;

/** What was said last in an instance, as it is stored: at most so many lines. */
export async function spokenLines(
  store: Store,
  { id, transcriptLength }: { readonly id: string; readonly transcriptLength: number },
  last: number,
): Promise<readonly SpokenLine[]> {
  if (!(last > 0)) return [];
  // Between a line that was said and the next one, others tell of changes of state: most often one or two.
  const limit = Math.min(Math.ceil(last) * 3, mostLines);
  const lines = await store.transcript(id, { from: Math.max(0, transcriptLength - limit), limit });
  return (lines as readonly TranscriptLine[])
    .flatMap(({ role, text }) => (role === 'system' ? [] : [{ role, text }]))
    .slice(-last);
}
