import type { Json } from '@dramaturg/compiler';
import { checkedAttention } from './attention.ts';
import { checkedName, checkedTime, checkedTimers, checkUnique, jsonText } from './check.ts';
import type {
  Attention,
  Change,
  Committed,
  DefinitionVersion,
  Letter,
  NewLines,
  NewRecord,
  Part,
  Receipt,
  RecordOrigin,
  Timer,
} from './contract.ts';
import { badRequest } from './errors.ts';

/**
 * A checked write with every value as JSON text. All stores accept writes in this form. The text is made once, during the call,
 * so that later changes of the caller's value do not affect the write.
 */
export type Write = CreateWrite | CommitWrite | AcknowledgeWrite;

/** The result of a stored write. */
export interface WriteResult {
  /** False when the write had been stored before; then nothing is changed. */
  readonly isNew: boolean;
  readonly committed: Committed;
}

/** JSON texts to append. */
export interface LineTexts {
  readonly journal: readonly string[];
  readonly transcript: readonly string[];
}

/** A letter whose body is JSON text. */
export interface LetterText {
  readonly id: string;
  readonly body: string;
}

/** A part whose value is JSON text. */
export interface PartText {
  readonly key: string;
  readonly value: string;
}

export interface CreateWrite extends LineTexts {
  readonly type: 'create';
  readonly id: string;
  readonly origin: RecordOrigin;
  readonly status: string;
  readonly ended: boolean;
  readonly timers: readonly Timer[];
  readonly questions: number;
  readonly attention: Attention;
  readonly revision: number;
  readonly updatedAt: number;
  readonly snapshot: string;
  readonly parts: readonly PartText[];
  readonly outbox: readonly LetterText[];
}

export interface CommitWrite extends LineTexts {
  readonly type: 'commit';
  readonly id: string;
  readonly expectedRevision: number;
  readonly updatedAt?: number;
  readonly status?: string;
  readonly ended?: boolean;
  readonly timers?: readonly Timer[];
  readonly questions?: number;
  readonly attention?: Attention;
  readonly snapshot?: string;
  readonly parts: { readonly set: readonly PartText[]; readonly removed: readonly string[] };
  readonly settled: readonly string[];
  readonly effects: readonly LetterText[];
}

export interface AcknowledgeWrite extends LineTexts {
  readonly type: 'acknowledge';
  readonly id: string;
  readonly letter: string;
}

export function createWrite(record: NewRecord): CreateWrite {
  const origin = originOf(record);
  return {
    type: 'create',
    id: origin.id,
    origin,
    status: checkedName(record.status, 'status'),
    ended: checkedFlag(record.ended ?? false),
    timers: checkedTimers(record.timers ?? []),
    questions: checkedCount(record.questions ?? 0),
    attention: checkedAttention(record.attention ?? {}),
    revision: checkedRevision(record.revision ?? 1),
    updatedAt: checkedTime(record.updatedAt ?? record.createdAt, 'time of the change'),
    snapshot: jsonText(record.snapshot, 'snapshot'),
    parts: partTexts(record.parts),
    outbox: letterTexts(record.outbox),
    ...lineTexts(record),
  };
}

export function commitWrite(change: Change): CommitWrite {
  const { updatedAt, status, ended, timers, questions, attention, snapshot } = change;
  return {
    type: 'commit',
    id: checkedName(change.id, 'id'),
    expectedRevision: checkedRevision(change.expectedRevision),
    ...(updatedAt === undefined ? {} : { updatedAt: checkedTime(updatedAt, 'time of the change') }),
    ...(status === undefined ? {} : { status: checkedName(status, 'status') }),
    ...(ended === undefined ? {} : { ended: checkedFlag(ended) }),
    ...(timers === undefined ? {} : { timers: checkedTimers(timers) }),
    ...(questions === undefined ? {} : { questions: checkedCount(questions) }),
    ...(attention === undefined ? {} : { attention: checkedAttention(attention) }),
    ...(snapshot === undefined ? {} : { snapshot: jsonText(snapshot, 'snapshot') }),
    parts: {
      set: partTexts(change.parts?.set),
      removed: checkedNames(change.parts?.removed, 'key of a part'),
    },
    settled: checkedNames(change.settled, 'id of a letter'),
    effects: letterTexts(change.effects),
    ...lineTexts(change),
  };
}

export function acknowledgeWrite(receipt: Receipt): AcknowledgeWrite {
  return {
    type: 'acknowledge',
    id: checkedName(receipt.id, 'id'),
    letter: checkedName(receipt.letter, 'id of a letter'),
    ...lineTexts(receipt),
  };
}

function originOf(record: NewRecord): RecordOrigin {
  const { contact, parent, definition } = record;
  return {
    id: checkedName(record.id, 'id'),
    kind: checkedName(record.kind, 'kind'),
    ...(contact === undefined ? {} : { contact: checkedName(contact, 'contact') }),
    ...(parent === undefined ? {} : { parent: checkedName(parent, 'parent') }),
    ...(definition === undefined ? {} : { definition: checkedDefinition(definition) }),
    createdAt: checkedTime(record.createdAt, 'time of creation'),
  };
}

function checkedDefinition({ name, version }: DefinitionVersion): DefinitionVersion {
  return {
    name: checkedName(name, 'name of the definition'),
    version: checkedName(version, 'version of the definition'),
  };
}

function checkedRevision(revision: unknown): number {
  if (Number.isSafeInteger(revision) && (revision as number) >= 1) return revision as number;
  throw badRequest(`The revision is not a positive integer: ${String(revision)}.`);
}

function checkedCount(questions: unknown): number {
  if (Number.isSafeInteger(questions) && (questions as number) >= 0) return questions as number;
  throw badRequest(`"questions" is not an integer from 0: ${String(questions)}.`);
}

function checkedFlag(ended: unknown): boolean {
  if (typeof ended === 'boolean') return ended;
  throw badRequest(`"ended" is not true or false: ${String(ended)}.`);
}

function checkedNames(names: readonly string[] = [], what: string): readonly string[] {
  return names.map((name) => checkedName(name, what));
}

function partTexts(parts: readonly Part[] = []): readonly PartText[] {
  const texts = parts.map(({ key, value }) => ({
    key: checkedName(key, 'key of a part'),
    value: jsonText(value, 'value of a part'),
  }));
  checkUnique(
    texts.map(({ key }) => key),
    'parts',
  );
  return texts;
}

function letterTexts(letters: readonly Letter[] = []): readonly LetterText[] {
  const texts = letters.map(letterText);
  checkUnique(
    texts.map(({ id }) => id),
    'letters',
  );
  return texts;
}

function letterText({ id, body }: Letter): LetterText {
  return { id: checkedName(id, 'id of a letter'), body: jsonText(body, 'body of a letter') };
}

function lineTexts({ journal = [], transcript = [] }: NewLines): LineTexts {
  const toText = (line: Json) => jsonText(line, 'line');
  return { journal: journal.map(toText), transcript: transcript.map(toText) };
}
