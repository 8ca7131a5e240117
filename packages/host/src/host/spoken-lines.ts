import type { SpokenLine } from '@dramaturg/compiler';
import type { TranscriptLine } from '../instance/event.ts';
import type { StoreReader } from '../store/contract.ts';

/** The limit of a store. */
const linesMax = 10_000;

/** The last lines of the stored transcript, without those of the system. */
export async function spokenLines(
  store: Pick<StoreReader, 'transcript'>,
  { id, transcriptLength }: { readonly id: string; readonly transcriptLength: number },
  last: number,
): Promise<readonly SpokenLine[]> {
  if (!(last > 0)) return [];
  // Between two messages there are usually one or two system lines.
  const limit = Math.min(Math.ceil(last) * 3, linesMax);
  const lines = await store.transcript(id, { from: Math.max(0, transcriptLength - limit), limit });
  return (lines as readonly TranscriptLine[])
    .flatMap(({ role, text, data }) =>
      role === 'system' ? [] : [{ role, text, ...(data === undefined ? {} : { data }) }],
    )
    .slice(-last);
}
