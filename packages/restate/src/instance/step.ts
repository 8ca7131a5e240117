import { HostError } from '@dramaturg/host';
import {
  continuation,
  definitionsOf,
  definitionsOfNew,
  forkingStatus,
  isFamilyLetter,
  LiveInstance,
  type LoadedDefinitions,
  queueStatesOf,
  reportAttempts,
  type StepResult,
  type Surroundings,
  unknownInstance,
  withCursors,
} from '@dramaturg/host/engine';
import type { RecordOrigin } from '@dramaturg/host/store';
import type { ObjectContext } from '@restatedev/restate-sdk';
import {
  type Answered,
  type CreateOrder,
  type LinePosition,
  send,
  type Standing,
  type WithdrawOrder,
} from './messages.ts';
import type { Engine } from '../engine.ts';
import type { ServiceNames } from '../names.ts';
import {
  callsOf,
  readLines,
  sendAlarm,
  sendWithdrawal,
  type Work,
  writeHeadWith,
} from './effects.ts';
import { sendFamilyLetters } from './family-letters.ts';
import {
  appendLines,
  type Chunk,
  emptyHead,
  type Head,
  headKey,
  outboxAfter,
  partKey,
  readInstance,
  without,
  writeSnapshot,
} from './state-layout.ts';

/** The decision of an invocation. */
export interface Decision {
  readonly results: readonly StepResult[];
  /** The letters whose work it ends. */
  readonly done?: readonly string[];
  /** Fields of the head that it replaces. */
  readonly head?: Partial<Head>;
}

/** Starts an instance. */
export async function begin(
  engine: Engine,
  context: ObjectContext,
  { at: given, createdAt, definition: ref, birth }: CreateOrder,
): Promise<Standing> {
  // Clocks of several machines differ: a step must not be earlier than the creation.
  const at = Math.max(given, Math.floor(createdAt));
  const { library } = engine;
  if (await context.get<Head>(headKey))
    throw new HostError('host/exists', `There is an instance ${JSON.stringify(birth.id)} already.`);
  const definitions = await definitionsOfNew(await library.load(ref), library);
  const surroundings = surroundingsOf(engine, context, at, undefined);
  const { instance, result } = await LiveInstance.begin(birth, definitions, surroundings);
  const { contact, parent, address, channel } = birth;
  const origin: RecordOrigin = {
    id: birth.id,
    kind: 'instance',
    ...(contact === undefined ? {} : { contact }),
    ...(parent ? { parent: parent.instance } : {}),
    definition: ref,
    createdAt,
  };
  const nothing: Head = { ...emptyHead(origin, 'new', at), address, channel };
  return write(engine, context, instance, definitions, nothing, { results: [result] });
}

/**
 * Decides steps of an instance and writes them together. Nothing is awaited between the first write and the last, so all of them
 * are stored together (H2).
 */
export async function step(
  engine: Engine,
  context: ObjectContext,
  given: number,
  decide: (instance: LiveInstance, head: Head) => Promise<Decision>,
): Promise<Answered> {
  const { head: stored, record } = await readInstance(context);
  if (stored.status === forkingStatus) throw unknownInstance(context.key);
  // Clocks of several machines differ: the time of an instance must not go back.
  const at = Math.max(given, stored.updatedAt);
  const definitions = await definitionsOf(record, engine.library);
  const surroundings = surroundingsOf(engine, context, at, stored);
  const instance = LiveInstance.restore(record, definitions, surroundings);
  const decision = await decide(instance, stored);
  const standing = write(engine, context, instance, definitions, stored, decision);
  const { results } = decision;
  const { answer } = results.at(-1) ?? { answer: { accepted: true, state: standing.status } };
  return { ...standing, answer };
}

/** Submits the open calls, messages and timers of a stored instance to Restate. */
export async function beginStored(engine: Engine, context: ObjectContext): Promise<void> {
  const { head, record } = await readInstance(context);
  const definitions = await definitionsOf(record, engine.library);
  const surroundings = surroundingsOf(engine, context, head.updatedAt, head);
  const instance = LiveInstance.restore(record, definitions, surroundings);
  writeHead(engine, context, head, callsOf(context, instance, head.outbox, head.updatedAt));
  if (instance.hasMore) sendMore(engine, context, head.updatedAt);
}

/** Writes a decision, and submits its effects to Restate. */
function write(
  engine: Engine,
  context: ObjectContext,
  instance: LiveInstance,
  { lifecycle }: LoadedDefinitions,
  stored: Head,
  { results, done = [], head: changed }: Decision,
): Standing {
  const head = { ...stored, ...changed };
  const { names } = engine;
  const lines = results.flatMap((result) => result.lines ?? []);
  if (lines.length === 0) {
    const { status, ended, holds } = head;
    return changed ? writeHead(engine, context, head) : { status, ended, holds };
  }
  const change = instance.storedForm.of({
    ...instance.takeChange(),
    journal: lines.flatMap(({ journal }) => journal),
    transcript: lines.flatMap(({ transcript }) => transcript),
  });
  const { status, ended, updatedAt, timers, questions, attention, settled } = change;
  const { set = [], removed = [] } = change.parts;
  const { state } = instance;
  const { holds } = state;
  const effects = change.effects.filter(({ body }) => !isFamilyLetter(body));
  const gone = new Set(removed);
  const added = set.map(({ key }) => key).filter((key) => !head.parts.includes(key));
  const revision = head.revision + 1;
  const next = {
    ...head,
    status,
    ended,
    holds,
    waits: queueStatesOf(lifecycle.chart).has(status),
    revision,
    updatedAt,
    timers,
    questions,
    attention,
    outbox: outboxAfter(head.outbox, settled, effects),
    parts: [...head.parts.filter((key) => !gone.has(key)), ...added],
    ...appendLines(context, head, change),
    ...writeSnapshot(context, stored, { revision, snapshot: change.snapshot }),
  };
  for (const key of removed) context.clear(partKey(key));
  for (const { key, value } of set) context.set(partKey(key), value);
  // The step may have repeated an ended call with the same key.
  const again = done.map((id) => ({ id }));
  const calls = callsOf(context, instance, [...again, ...effects], updatedAt);
  const work = without(head.work, [...done, ...settled]);
  const atChannels = new Set(Object.values(head.sending));
  const withdrawn: WithdrawOrder['work'][number][] = [];
  for (const letter of settled) {
    const key = head.work[letter];
    const handler = atChannels.has(letter) ? 'deliver' : 'call';
    if (key !== undefined && !done.includes(letter)) withdrawn.push({ handler, key });
  }
  writeHead(engine, context, { ...next, work }, calls);
  sendWithdrawal(context, names, withdrawn);
  const letters = change.effects.map(({ body }) => body).filter(isFamilyLetter);
  sendFamilyLetters(context, names, instance, letters, updatedAt);
  sendMove(context, names, stored, next);
  // Any other letter that is still in the outbox has an invocation.
  const begins = done.includes(continuation) || effects.some(({ id }) => id === continuation);
  if (instance.hasMore && begins) sendMore(engine, context, updatedAt);
  const events = withCursors(results, head.journal.lines);
  reportAttempts(instance.id, events, engine.onError);
  engine.publish({
    instance: instance.id,
    from: head.journal.lines,
    lines: next.journal.lines,
    events,
  });
  return { status, ended, holds };
}

/** Lets the instance continue in an invocation of its own (H9). */
function sendMore({ names }: Engine, context: ObjectContext, at: number): void {
  send(context, { service: names.instance, key: context.key, handler: 'more' }, { at });
}

/** Writes the head, with the next messages to send and the alarm for the next timer. */
function writeHead(
  { names }: Engine,
  context: ObjectContext,
  head: Head,
  calls?: readonly Work[],
): Standing {
  writeHeadWith(context, names, { ...head, ...sendAlarm(context, names, head) }, calls);
  const { status, ended, holds } = head;
  return { status, ended, holds };
}

function surroundingsOf(
  { surroundings, world }: Engine,
  context: ObjectContext,
  at: number,
  head: Head | undefined,
): Surroundings {
  const { rand } = context;
  const chance = { random: () => rand.random(), uuid: () => rand.uuidv4() };
  return {
    ...surroundings,
    world: world.of(at, chance),
    readTranscript: async (_, range) =>
      head ? readLines((key) => context.get<Chunk>(key), 'transcript', head.transcript, range) : [],
  };
}

/** The position of an instance in the line of its contact. */
export function positionOf(head: Head): LinePosition {
  const { origin, revision, updatedAt, status, ended, holds, waits } = head;
  const { id, createdAt } = origin;
  return {
    id,
    createdAt,
    revision,
    updatedAt,
    status,
    ended,
    holds,
    waits,
  };
}

/** Reports to the line of the contact that an instance has moved in it. The line itself adds new instances. */
function sendMove(
  context: ObjectContext,
  { contact: service }: ServiceNames,
  before: Head,
  after: Head,
): void {
  const { contact: key } = after.origin;
  const hasMoved =
    before.ended !== after.ended || before.holds !== after.holds || before.waits !== after.waits;
  if (key === undefined || before.revision === 0 || !hasMoved) return;
  send(context, { service, key, handler: 'moved' }, positionOf(after));
}

/** Reports to the line of the contact that an instance was erased. */
export function sendErased(
  context: ObjectContext,
  { contact: service }: ServiceNames,
  { origin: { id, contact: key } }: Head,
): void {
  if (key !== undefined) send(context, { service, key, handler: 'erased' }, { id });
}
