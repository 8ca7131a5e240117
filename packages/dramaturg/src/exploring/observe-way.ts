import type { Chart, JsonObject } from '@dramaturg/compiler';
import { hosted } from '../host.ts';
import { kindOf } from '../known-formats.ts';
import { outcomeOf, timersOf } from '../testing/expectations.ts';
import type { MadeCall } from '../testing/scripted-ports.ts';
import { type StageOptions, usualStart } from '../testing/stage-options.ts';
import { type Happened, Stage } from '../testing/stage.ts';
import type { TestCase, TestStep } from '../testing/test-file.ts';
import { answersTo } from './answers.ts';
import { happeningsAt } from './happenings.ts';
import type { Moment } from './moment.ts';
import type { Rehearsal } from './rehearsal.ts';
import { isFixedPause } from './retries.ts';
import { stepsOf, type Way } from './player.ts';

export interface ObservedWay {
  readonly test: TestCase;
  readonly record: NonNullable<Awaited<ReturnType<Stage['record']>>>;
}

/**
 * How much of a step is written. `few`: without inputs of agents, which may have random values. `all`: also the inputs of models, and the
 * states that were passed, with their data.
 */
export type Detail = 'few' | 'inputs' | 'all';

/**
 * Runs a way on the stage of tests, and writes down what holds after each step.
 *
 * @param detail what is written of each step
 * @returns undefined when the stage refuses the way: a step cannot be carried out, or an answer is not asked for
 */
export async function observeWay(
  way: Pick<Way, 'beginning' | 'moves'>,
  name: string,
  options: Omit<StageOptions, 'input' | 'lifecycleInput'>,
  detail: Detail = 'inputs',
): Promise<ObservedWay | undefined> {
  const { input, lifecycleInput } = way.beginning;
  const steps = stepsOf(way.moves);
  if (!steps) return undefined;
  const given: StageOptions = {
    ...options,
    ...(Object.keys(input).length > 0 ? { input } : {}),
    ...(lifecycleInput ? { lifecycleInput } : {}),
  };
  const showsInstance = 'lifecycle' in options.definition;
  const { chart } = hosted(name, options.definition);
  const showsRows = showsInstance || chart.format === 'lifecycle';
  const emits = emittedBy(chart);
  const showsTimers = kindOf(chart.format) !== 'conversation';
  const stage = await Stage.open(given);
  try {
    const observed: TestStep[] = [];
    let collected: JsonObject = {};
    let place: string | undefined;
    for (const [index, step] of steps.entries()) {
      if (index === 0) await stage.start(given, step.answers ?? []);
      else await stage.happen(step);
      const happened = await stage.read();
      if (stage.takeUnusedAnswers().length > 0) return undefined;
      const isNewState = happened.state !== place;
      const shown = { isNewState, detail, emits, showsInstance, showsRows, showsTimers };
      observed.push({ ...step, ...expectationsOf(happened, collected, shown) });
      collected = happened.view.collected ?? {};
      place = happened.state;
    }
    const record = await stage.record();
    if (!record) return undefined;
    const test: TestCase = {
      name,
      ...(given.input ? { input: given.input } : {}),
      ...(lifecycleInput ? { lifecycleInput } : {}),
      steps: observed,
    };
    return { test, record };
  } catch {
    return undefined;
  } finally {
    await stage.close();
  }
}

/** Values of data larger than this, in UTF-16 units, are not written as expectations. */
const longest = 500;
/** The most events of the definition that are written for one step. */
const ownMax = 5;
/** The most retries that are written for one step. */
const retriesMax = 3;
/** Larger parts of calls are not written, even in detail. */
const longestInput = 5_000;
const inputsMax = { few: 0, inputs: longest, all: longestInput } as const;
/** The most states of one step that are written. */
const passedMax = 40;
/** The most calls of one step: if there are more, none is written. */
const callsMax = 20;

/** The state of an instance that is handed over to a person. */
const needsPerson = 'NEEDS_HUMAN_INTERVENTION';

/** The parts of a step that are written. */
interface Shown {
  readonly isNewState: boolean;
  readonly detail: Detail;
  /** The types of events that the definition emits. */
  readonly emits: ReadonlySet<string>;
  /** The lifecycle is explored, too. */
  readonly showsInstance: boolean;
  /** The actions of a lifecycle's rows are those of the definition. */
  readonly showsRows: boolean;
  /** The reminders of a conversation belong to its lifecycle. */
  readonly showsTimers: boolean;
}

function expectationsOf(
  happened: Happened,
  before: JsonObject,
  { isNewState, detail, emits, showsInstance, showsRows, showsTimers }: Shown,
): TestStep {
  const { view, state, calls, events, decisions, refused } = happened;
  const asks = calls.findLast(({ port }) => port === 'reply')?.input['asks'];
  const names = Array.isArray(asks) ? asks.map((each) => String(Object(each).name)) : [];
  const collected = Object.entries(view.collected ?? {}).filter(
    ([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value),
  );
  const shown = calls.flatMap((call) => shownCall(call, isNewState, detail));
  const timers = view.ended || !showsTimers ? [] : timersOf(happened);
  const failed = events.find(
    ({ type }) => type === 'turn.failed' || type === 'turn.attempt.failed',
  );
  return {
    ...(refused === undefined ? {} : { refused: refused.slice(0, 60) }),
    ...emittedOf(events, failed, { detail, emits, showsRows }),
    ...unemittedOf(events, { emits, isEnd: view.ended }),
    state: state ?? view.state,
    ...((showsInstance || view.state === needsPerson) && !view.ended
      ? { instance: view.state }
      : {}),
    ...(timers.length > 0 ? { timers } : {}),
    ...(collected.length > 0 ? { collected: Object.fromEntries(collected) } : {}),
    ...(names.length > 0 ? { asks: names } : {}),
    ...((shown.length > 0 || detail === 'all') && shown.length <= callsMax ? { calls: shown } : {}),
    ...(decisions.length > 0 ? { decisions: decisions.map(questionOf) } : {}),
    ...(view.ended ? endingOf(happened) : {}),
  };
}

/**
 * Events of the definition, what follows a conversation, a failed turn, and the pauses before retries; in detail also the states
 * that were passed.
 */
function emittedOf(
  events: readonly JsonObject[],
  failed: JsonObject | undefined,
  { detail, emits, showsRows }: Pick<Shown, 'detail' | 'emits' | 'showsRows'>,
): Pick<TestStep, 'emitted'> {
  const passed = events.filter((event) => isPassed(event) && (detail === 'all' || hasLimit(event)));
  const retried = events.filter(
    ({ type, after }) => type === 'task.retried' && isFixedPause(after),
  );
  const emitted = [
    ...retried
      .slice(0, retriesMax)
      .map(({ type, state, after }) => ({ type: type!, state: state!, after: after! })),
    ...events
      .filter(({ type }) => emits.has(type as string))
      .slice(0, ownMax)
      .map(({ type }) => ({ type: type! })),
    ...followedBy(events).map(({ input, ...event }) =>
      detail === 'few' || (JSON.stringify(input)?.length ?? longest) >= longest
        ? event
        : { ...event, input: input! },
    ),
    ...(showsRows ? doneByRows(events) : []),
    ...(failed ? [{ type: failed['type']! }] : []),
    ...(detail === 'few' ? [] : passed.slice(0, passedMax).map(shownEvent)),
  ];
  return emitted.length === 0 ? {} : { emitted: emitted.length === 1 ? emitted[0]! : emitted };
}

/** The events of the definition that are not emitted in a step, and the start that does not follow an end. */
function unemittedOf(
  events: readonly JsonObject[],
  { emits, isEnd }: Pick<Shown, 'emits'> & { readonly isEnd: boolean },
): Pick<TestStep, 'unemitted'> {
  const absent = [...emits, ...(isEnd ? ['start.requested'] : [])]
    .filter((each) => !events.some(({ type }) => type === each))
    .map((type) => ({ type }));
  return absent.length === 0 ? {} : { unemitted: absent.length === 1 ? absent[0]! : absent };
}

/**
 * Fields of the events that say what follows a run or a turn: a definition that is started, scenarios that it has opened, why it has
 * failed, why a person is needed, an effect.
 */
const followFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['start.requested', ['type', 'start', 'input']],
  ['scenario.completed', ['type', 'unlocked']],
  ['state.failed', ['type', 'cause']],
  ['help.requested', ['type', 'reason']],
  ['effect.triggered', ['type', 'event_name']],
]);

export function followedBy(events: readonly JsonObject[]): JsonObject[] {
  // Other causes are words of agents and of this program.
  const fails = events.filter(({ kind }) => kind === 'Fail').map(({ state }) => state);
  return events.flatMap((event) => {
    const { type, state, cause } = event;
    const fields = followFields.get(type);
    if (!fields || (type === 'state.failed' && !(fails.includes(state) && cause))) return [];
    return [picked(event, fields)];
  });
}

/** The fields of events that the rows and states of a lifecycle decide. Spec: docs/formats/lifecycle.md#events */
const rowFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['state.entered', ['type', 'state', 'holds_contact']],
  ['turn.started', ['type', 'kind', 'messages', 'text']],
  ['turn.aborted', ['type']],
  ['agent.wanted', ['type', 'messages']],
  ['inbox.cleared', ['type', 'messages']],
  ['message.recorded', ['type', 'role']],
  ['message.send.requested', ['type', 'role']],
  ['todo.marked', ['type', 'todo_id', 'status']],
  ['instance.ended', ['type', 'end_reason', 'failure_reason', 'cancel_reason', 'follow_up_count']],
]);

export function doneByRows(events: readonly JsonObject[]): JsonObject[] {
  return events.flatMap((event) => {
    const { type, holds_contact: holds } = event;
    const fields =
      type === 'state.entered' && holds === undefined ? undefined : rowFields.get(type);
    return fields ? [picked(event, fields)] : [];
  });
}

function picked(event: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(event).filter(([name]) => fields.includes(name)));
}

/** Whether an event shows a state of the flow that was entered or left. */
export function isPassed({ type, holds_contact: ofLifecycle }: JsonObject): boolean {
  return (type === 'state.entered' || type === 'state.exited') && ofLifecycle === undefined;
}

/** Whether a task was entered whose time is limited. */
function hasLimit({ timeoutSeconds, heartbeatSeconds }: JsonObject): boolean {
  return [timeoutSeconds, heartbeatSeconds].some((limit) => typeof limit === 'number');
}

/** The parts of such an event that the definition decides. */
export function shownEvent(event: JsonObject): JsonObject {
  const isShort = (JSON.stringify(event['output'])?.length ?? 0) < longestInput;
  const names = [...shownFields, ...(isShort ? ['output'] : [])];
  return picked(event, names);
}

const shownFields = ['type', 'state', 'place', 'from', 'timeoutSeconds', 'heartbeatSeconds'];

/** The parts of a question to people that the definition decides. */
export function questionOf(question: object): JsonObject {
  return picked(question as JsonObject, questionFields);
}

const questionFields = ['prompt', 'approvers', 'excluded', 'editable', 'isNamed', 'isExplained'];

/** The parts of a call that the definition decides. */
function shownCall({ port, input }: MadeCall, isNewState: boolean, detail: Detail): JsonObject[] {
  const isShort = (value: unknown) => (JSON.stringify(value)?.length ?? 0) < inputsMax[detail];
  const given = (names: readonly string[]) =>
    Object.entries(input).filter(([name, value]) => names.includes(name) && isShort(value));
  if (detail === 'all' || port === 'runAgent' || port === 'callTool') {
    const { agent, tool } = input;
    const name = agent === undefined ? (tool === undefined ? {} : { tool }) : { agent };
    const more = given(detail === 'all' ? [...inputs, ...searches, ...questions] : inputs);
    return [{ port, ...name, ...Object.fromEntries(more) }];
  }
  if (port === 'think') return [{ port }];
  if (port === 'recall') return [{ port, ...Object.fromEntries(given(searches)) }];
  const { directions = [] } = input;
  const texts = (directions as JsonObject[]).map(({ text }) => ({ text: text! }));
  return port === 'reply' && isNewState && texts.length > 0 ? [{ port, directions: texts }] : [];
}

/** The data of a call, what is looked up in memory, and what a model is asked. */
const inputs = ['input', 'arguments'];
const searches = ['queries', 'keys', 'filter'];
const questions = ['options', 'directions', 'asks', 'prompt'];

function endingOf(happened: Happened): TestStep {
  const { view, events } = happened;
  const end = events.findLast(({ type }) => type === 'workflow.ended');
  const output = view.output;
  const isShown = output !== undefined && (JSON.stringify(output)?.length ?? longest) < longest;
  return {
    outcome: outcomeOf(happened) ?? view.state,
    ...(view.failure?.error ? { error: view.failure.error } : {}),
    ...(isShown && end !== undefined && !view.failure ? { output } : {}),
  };
}

const known = new WeakMap<Chart, ReadonlySet<string>>();

/** The types of events that the author of a definition lets it emit. */
function emittedBy(chart: Chart): ReadonlySet<string> {
  const types = known.get(chart) ?? new Set(eventsIn(chart));
  known.set(chart, types);
  return types;
}

function eventsIn(chart: Chart): readonly string[] {
  const found: string[] = [];
  const pending: unknown[] = [chart];
  for (const part of pending) {
    if (typeof part !== 'object' || part === null) continue;
    const { type, params } = part as { readonly type?: unknown; readonly params?: unknown };
    const { event } = Object(params) as { readonly event?: unknown };
    if (type === 'emit' && typeof event === 'string') found.push(event);
    pending.push(...Object.values(part));
  }
  return found;
}

/** Answers that are tried to bring a way to rest. */
const answersMax = 12;

/**
 * A way after which the definition rests. In a test the understudy continues to answer, possibly forever. A further answer may
 * help.
 *
 * @returns undefined when neither the way nor a further answer lets it rest, or a test file cannot express the way
 */
export async function restingWay<Given extends Pick<Way, 'beginning' | 'moves'>>(
  way: Given,
  rehearsal: Rehearsal,
): Promise<Given | undefined> {
  if (await rests(way, rehearsal)) return way;
  const { player, branches, vocabulary } = rehearsal;
  let moment = await player.play(await branches.begin(way.beginning, usualStart), {
    happening: {},
  });
  for (const move of way.moves) moment = await player.play(moment, move);
  const [call] = moment.calls;
  if (!call) return undefined;
  for (const answer of answersTo(call, vocabulary).slice(0, answersMax)) {
    const longer = { ...way, moves: [...way.moves, { port: call.port, answer }] };
    if (answer !== undefined && (await rests(longer, rehearsal))) return longer;
  }
  return undefined;
}

/** A way of a lifecycle to its end, if one event leads there: its end shows what it has counted. */
export async function endedWay<Given extends Pick<Way, 'beginning' | 'moves'>>(
  way: Given,
  { player, branches, outside }: Rehearsal,
): Promise<Given> {
  let moment = await branches.begin(way.beginning, usualStart);
  for (const move of way.moves) moment = await player.play(moment, move);
  for (const happening of happeningsAt(moment, outside)) {
    const after = await player.play(moment, { happening });
    if (after.ended && happening.event) return { ...way, moves: [...way.moves, { happening }] };
  }
  return way;
}

async function rests(
  { beginning, moves }: Pick<Way, 'beginning' | 'moves'>,
  { player, branches }: Rehearsal,
): Promise<boolean> {
  const steps = stepsOf(moves);
  if (!steps) return false;
  let moment: Moment = await branches.begin(beginning, usualStart);
  for (const step of steps) {
    const played = await player.playStep(moment, step);
    ({ moment } = played);
    if (moment.calls.length > 0 || !played.isComplete) return false;
  }
  return true;
}
