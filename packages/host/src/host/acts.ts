import type { JsonObject } from '@dramaturg/compiler';
import type { WrittenContact } from '../contact.ts';
import { readJournal } from '../instance/journal-lines.ts';
import { isListedAct } from '../instance/operator-acts.ts';
import { optionalText } from '../instance/read.ts';
import { stepInputIn } from '../instance/step-input.ts';
import type { Page, PageRequest, RecordSummary, StoreReader } from '../store/contract.ts';
import { shortText } from './desk.ts';
import { badRequest } from './request.ts';

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

/** The start of a page: after a record of the list, and at a journal line of the next record. */
interface Start {
  readonly after?: string;
  readonly line: number;
}

/**
 * Lists the acts of people from the journals of instances: the oldest instance first, and the acts of each in order. Reads only
 * instances that a person has acted on since `from`. Erased instances are not in the list.
 */
export async function listActs(
  store: StoreReader,
  { from = 0, to = Infinity, by, contact }: ActFilter,
  { after, limit }: PageRequest,
): Promise<Page<Act>> {
  const items: Act[] = [];
  let start = startOf(after);
  let linesRead = 0;
  for (;;) {
    const page = await store.list(
      {
        kind: 'instance',
        actedSince: from,
        ...(contact === undefined ? {} : { contact }),
      },
      { limit: 1, ...(start.after === undefined ? {} : { after: start.after }) },
    );
    const [record] = page.items;
    if (!record) return { items };
    const nextLine = record.createdAt < to ? await readActs(record, start.line) : undefined;
    if (nextLine !== undefined)
      return { items, next: JSON.stringify([start.after ?? null, nextLine]) };
    if (page.next === undefined) return { items };
    start = { after: page.next, line: 0 };
  }

  /** @returns the line at which the next page begins; undefined when all lines were read */
  async function readActs(record: RecordSummary, first: number): Promise<number | undefined> {
    for (let line = first; line < record.journalLength; line += linesPerRead) {
      if (linesRead >= linesMax) return line;
      const lines = await readJournal(store, record.id, { from: line, limit: linesPerRead });
      linesRead += lines.length;
      for (const [index, each] of lines.entries()) {
        const act = actIn(each, record);
        if (!act || act.at < from || act.at >= to || (by !== undefined && act.by !== by)) continue;
        if (items.length === limit) return line + index;
        items.push(act);
      }
    }
    return undefined;
  }
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

function startOf(after: string | undefined): Start {
  if (after === undefined) return { line: 0 };
  try {
    const [record, line] = JSON.parse(after) as [unknown, unknown];
    const isCursor = record === null || typeof record === 'string';
    if (isCursor && Number.isSafeInteger(line) && Number(line) >= 0)
      return { ...(record === null ? {} : { after: record }), line: Number(line) };
  } catch {
    // Reported below.
  }
  throw badRequest(`${JSON.stringify(after.slice(0, 100))} is not a cursor of this list.`);
}
