import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import {
  type Beginning,
  dueAt,
  localLetter,
  type Moment,
  ownEvents,
  type WaitingCall,
} from './moment.ts';
import type { GivenTask } from '../testing/test-file.ts';
import type { Move } from './player.ts';
import { anyError, mayFail } from './answers.ts';
import { asAnswer } from './task-endings.ts';
import { factsOf, passedTime } from './signature.ts';
import { fieldsOf } from './values.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The prefix of the keys of inputs, which distinguishes them from keys of units. */
export const inputMark = 'input ';

/** The most inputs of one answer. Answers with large data contain each compared value anyway. */
const inputsMax = 20;

/** The inputs of a move that a definition distinguishes: compared values, options, and errors that it names. */
export function inputsOf(
  moment: Moment,
  move: Move,
  after: Moment,
  vocabulary: Vocabulary,
): readonly string[] {
  return [
    ...movedBy(moment, move, after, vocabulary),
    ...noted(move, after, vocabulary),
    ...('happening' in move && move.happening.event && !moment.state.flow
      ? rowInputs(moment, move.happening.event.type, after)
      : []),
  ];
}

/** What an event has changed in a lifecycle that shows later only: a timer whose time had passed in part, and a count. */
function rowInputs(moment: Moment, type: string, after: Moment): readonly string[] {
  const { status, refused } = after;
  if (refused !== undefined)
    return [`${inputMark}${type} is refused: ${refused.replaceAll(/"[^"]*"/g, '…')}`];
  const [before, now] = [factsOf(moment.state), factsOf(after.state)];
  return [
    ...(passedTime(moment).includes(true)
      ? [`${inputMark}${moment.status}: ${type} to ${status} after ${String(passedTime(moment))}`]
      : []),
    ...(now.follow_up_count < before.follow_up_count
      ? [`${inputMark}${moment.status}: ${type} sets the count back`]
      : []),
  ];
}

/** Values that count later or not at all: those that were collected or refused, and scores. Their bounds are tried. */
function noted(move: Move, after: Moment, { compared }: Vocabulary): readonly string[] {
  return ownEvents(after).flatMap(({ event: { type, ...event } }) => {
    const { deliverable, value, what, to, machine, outcome, score } = event as JsonObject;
    if (type === 'score.changed') return [`${inputMark}the score is ${to as number}`];
    if (type === 'scenario.completed')
      return [
        `${inputMark}${machine as string} ends with ${outcome as string} at ${score as number}`,
      ];
    if (
      type === 'deliverable.collected' &&
      (typeof value === 'number' || compared.has(deliverable as string))
    )
      return [`${inputMark}collected ${deliverable as string} = ${JSON.stringify(value)}`];
    const said = type === 'update.refused' && 'answer' in move && move.answer;
    if (!said) return [];
    const [given] = comparedIn(said, (field) => field === what);
    return given === undefined ? [] : [`${inputMark}refused: ${given.replace(' = ', ' is ')}`];
  });
}

/** The inputs of a move itself. */
function movedBy(
  moment: Moment,
  move: Move,
  after: Moment,
  vocabulary: Vocabulary,
): readonly string[] {
  if ('happening' in move) {
    const { decide, later, task } = move.happening;
    if (task) return taskInputs(task, moment, vocabulary);
    const option = typeof decide === 'string' ? decide : decide?.decision;
    return moment.waits.flatMap((wait) => {
      if (option !== undefined && wait.port === 'requestDecision')
        return [`${inputMark}${nameOf(wait)}: ${option}`];
      const isDue = later !== undefined && wait.source === 'flow' && dueAt(wait) < Infinity;
      return isDue ? [`${inputMark}time passes ${placeOf(moment) ?? `for ${nameOf(wait)}`}`] : [];
    });
  }
  const [call] = moment.calls;
  const answer = move.answer ?? after.answered;
  if (!call || answer === undefined) return [];
  // A parent, or a lifecycle, sees that a turn has failed.
  if (isRecord(answer['fails']) && mayFail(call, true))
    return [`${inputMark}${call.child === undefined ? '' : `${call.child}: `}${call.port} fails`];
  // Errors belong to their state, because several states may have the same agent.
  const place = isRecord(answer['fails']) ? placeOf(moment) : undefined;
  return valuesIn(call, answer, vocabulary)
    .slice(0, inputsMax)
    .map(
      (value) => `${inputMark}${nameOf(call)} ${value}${place === undefined ? '' : ` ${place}`}`,
    );
}

/** The inputs that a waiting task was completed or failed with. */
function taskInputs(task: GivenTask, moment: Moment, vocabulary: Vocabulary): readonly string[] {
  const answer = asAnswer(task);
  const name = task.state ?? 'the task';
  if (!answer) return [`${inputMark}${name} sends a heartbeat`];
  const { fails } = answer;
  if (isRecord(fails)) {
    const { error } = fails as { readonly error: string };
    const isNamed = vocabulary.texts.has(error) || error === anyError;
    return isNamed ? [`${inputMark}${name} fails ${error}`] : [];
  }
  return valuesIn({ port: 'runAgent', input: { agent: name } }, answer, vocabulary)
    .slice(0, inputsMax)
    .map((value) => `${inputMark}${name} ${value}`);
}

/** The choices of a beginning, such as a scenario: not the data of a workflow, and no session. */
export function choicesOf({ input }: Pick<Beginning, 'input'>): readonly string[] {
  const { machine, returning } = input;
  return Object.entries({ machine, returning }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${inputMark}begins with ${name} ${JSON.stringify(value)}`],
  );
}

function valuesIn(
  call: Pick<WaitingCall, 'port' | 'input'>,
  answer: JsonObject,
  vocabulary: Vocabulary,
): string[] {
  const { fails, choose, extract } = answer;
  if (isRecord(fails)) {
    const { error } = fails;
    const agent = (call.input['agent'] ?? call.input['tool']) as string;
    const isNamed = vocabulary
      .errorsOf(agent)
      .some((each) => each === error || each === 'States.ALL');
    return isNamed ? [`fails ${error as string}`] : [];
  }
  if (choose !== undefined) return [`chooses ${JSON.stringify(choose)}`];
  if (extract !== undefined) {
    const fields = fieldsOf(call.input['schema'], vocabulary);
    const asked = new Set(fields.flatMap(({ path, isLater }) => (isLater ? [] : [path.at(-1)!])));
    return comparedIn(
      extract,
      (field, value) => asked.has(field) && isTold(field, value, vocabulary),
    );
  }
  const result = answer[call.port];
  if (result === undefined) return [];
  if (typeof result === 'string' && !vocabulary.texts.has(result)) return ['gives a text'];
  if (typeof result !== 'object') return [`gives ${JSON.stringify(result)}`.slice(0, 100)];
  if (result === null) return ['gives null'];
  return comparedIn(result, (field, value) => isTold(field, value, vocabulary));
}

/** A value of a field that a condition compares, or a truth value. */
function isTold(field: string, value: Json, vocabulary: Vocabulary): boolean {
  return vocabulary.compared.has(field) || typeof value === 'boolean';
}

function comparedIn(data: Json, counts: (field: string, value: Json) => boolean): string[] {
  const found: string[] = [];
  const pending: Json[] = [data];
  for (const value of pending) {
    if (Array.isArray(value)) pending.push(...value.slice(0, 5));
    if (!isRecord(value)) continue;
    for (const [field, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null) pending.push(inner);
      else if (counts(field, inner)) found.push(`${field} = ${JSON.stringify(inner)}`);
    }
  }
  return found;
}

/** The states of a workflow in a moment; undefined when there are none. */
function placeOf({ state: { flow } }: Moment): string | undefined {
  const value = isRecord(flow) ? flow['value'] : undefined;
  const names = typeof value === 'string' ? [value] : isRecord(value) ? Object.keys(value) : [];
  return names.length === 0 ? undefined : `in ${names.join(', ')}`;
}

/** The name of a call, the same at each visit of its state. */
function nameOf(call: WaitingCall): string {
  const { port, input, child } = call;
  if (port === 'extract')
    return child === undefined ? 'the person says' : `${child}: the person says`;
  const { agent, tool } = input;
  const name = agent ?? tool;
  return typeof name === 'string'
    ? name
    : localLetter(call)
        .replaceAll(/^\w+:|\/\d+/g, '')
        .replace(/^\//, '');
}
