import type { JsonObject } from '@dramaturg/compiler';
import type { WrittenContact } from '../contact.ts';
import { readJournal } from '../instance/journal-lines.ts';
import { isListedAct } from '../instance/operator-acts.ts';
import { optionalText } from '../instance/read.ts';
import { stepInputIn } from '../instance/step-input.ts';
import type { Page, PageRequest, RecordSummary, StoreReader } from '../store/contract.ts';
import { shortText } from './desk.ts';
import { listWithin } from './list-within.ts';

/** Selects acts of people. All given fields have to match. Times are milliseconds since 1970 UTC. */
export interface ActFilter extends Partial<WrittenContact> {
  readonly from?: number;
  /** Acts before this time. */
  readonly to?: number;
  /** The name of the person. */
  readonly by?: string;
}

/** Something that a person on the agent's side has done with an instance. */
export interface Act {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Null when a program acted without a name. */
  readonly by: string | null;
  readonly act: ActKind;
  readonly instance: string;
  /** The contact in canonical form. */
  readonly contact?: string;
  /** The id of a decision, and the option that was chosen. */
  readonly decision?: string;
  readonly option?: string;
  /** The beginning of a message by hand, a note, a comment, or the reason of a cancellation. */
  readonly text?: string;
}

export const actKinds = [
  'take-over',
  'hand-back',
  'pause',
  'resume',
  'cancel',
  'intervene',
  'note',
  'draft',
  'decide',
] as const;

export type ActKind = (typeof actKinds)[number];

const kinds: Readonly<Record<string, ActKind>> = {
  'operator.take_over': 'take-over',
  'operator.hand_back': 'hand-back',
  'operator.add_note': 'note',
  'operator.count_draft': 'draft',
  'decision.made': 'decide',
  pause: 'pause',
  resume: 'resume',
  cancel: 'cancel',
  intervene: 'intervene',
};

/** The longest text of an act. The journal has the whole text. */
const textMax = 1_000;

const linesPerRead = 1_000;
/** The largest number of journal lines that one page reads. A page may have few acts, or none, and a next page. */
const linesMax = 50_000;

/**
 * Lists the acts of people from the journals of instances: the oldest instance first, and the acts of each in order. Reads only
 * instances that a person has acted on since `from`. Erased instances are not in the list.
 */
export function listActs(
  store: StoreReader,
  { from = 0, to = Infinity, by, contact }: ActFilter,
  page: PageRequest,
): Promise<Page<Act>> {
  const wanted = {
    kind: 'instance',
    actedSince: from,
    ...(contact === undefined ? {} : { contact }),
  };
  let linesRead = 0;
  return listWithin<Act>(store, wanted, page, async (record, first, items) => {
    if (record.createdAt >= to) return undefined;
    for (let line = first; line < record.journalLength; line += linesPerRead) {
      if (linesRead >= linesMax) return line;
      const lines = await readJournal(store, record.id, { from: line, limit: linesPerRead });
      linesRead += lines.length;
      for (const [index, each] of lines.entries()) {
        const act = actIn(each, record);
        if (!act || act.at < from || act.at >= to || (by !== undefined && act.by !== by)) continue;
        if (items.length === page.limit) return line + index;
        items.push(act);
      }
    }
    return undefined;
  });
}

function actIn(line: Parameters<typeof stepInputIn>[0], record: RecordSummary): Act | undefined {
  const { step, input } = stepInputIn(line) ?? {};
  if (!step || input?.type !== 'event.taken' || !isListedAct(input.event)) return undefined;
  const event = input.event as unknown as JsonObject;
  const act = kinds[input.event.type]!;
  const { id, contact } = record;
  const text = optionalText(event['text'] ?? event['comment'] ?? event['reason']);
  return {
    at: step.at,
    by: optionalText(event['by']) || null,
    act,
    instance: id,
    ...(contact === undefined ? {} : { contact }),
    ...(act === 'decide' && { decision: optionalText(event['id'] ?? event['key']) }),
    ...(act === 'decide' && { option: optionalText(event['decision']) }),
    ...(text === '' ? {} : { text: shortText(text, textMax) }),
  };
}
