import type { EventObject, Json, JsonObject, Port, PortName } from '@dramaturg/compiler';
import { askPort } from '@dramaturg/compiler/machine';
import { taskEvent, taskMeant } from '../testing/open-tasks.ts';
import { fieldsIn } from '../testing/read-test-file.ts';
import { type MadeCall, ScriptedPorts } from '../testing/scripted-ports.ts';
import { StepError } from '../testing/step-error.ts';
import {
  type GivenTask,
  happenings,
  readDuration,
  type TestStep,
  untilTheEnd,
} from '../testing/test-file.ts';
import { type GivenAnswer, isLeftToUnderstudy } from './answers.ts';
import type { Branches, PortAnswer } from './branches.ts';
import {
  type Beginning,
  dueAt,
  listenerAt,
  type Moment,
  nextDue,
  type WaitingCall,
} from './moment.ts';
import { isTooLarge } from './signature.ts';

/** A step of a test, and the moment after it. */
export interface PlayedStep {
  readonly moment: Moment;
  readonly calls: readonly MadeCall[];
  /** Whether every given answer was asked for. */
  readonly isComplete: boolean;
}

/** A happening of an instance, or the answer of a port, as in a test file. */
export type Move = { readonly happening: Happening } | AnswerMove;

export interface AnswerMove {
  readonly port: PortName;
  readonly answer: GivenAnswer;
  /** The understudy's answer when the answer is left to it. */
  readonly usual?: JsonObject;
}

/** Nothing happens in the first step: it is the start. */
export type Happening = Pick<
  TestStep,
  'person' | 'event' | 'decide' | 'task' | 'later' | 'operator' | 'child'
>;

/** The most calls or timers in a row: a definition that continues forever must not hold up the search. */
const callsMax = 100;

/** From this call on, the size of the data is checked: they may double with each call. */
const callsUnchecked = 8;

/** Plays moves on an instance. The understudy answers all other calls, as in a test. */
export class Player {
  readonly #branches: Branches;
  readonly #triesRows: boolean;
  readonly #ports = new ScriptedPorts({}, {});
  /** The calls that the understudy has answered within the last move. */
  readonly passedCalls: WaitingCall[] = [];

  /** @param triesRows whether failures of calls are tried for the rows of the lifecycle */
  constructor(branches: Branches, triesRows: boolean) {
    this.#branches = branches;
    this.#triesRows = triesRows;
  }

  /** Plays a move. Continues while calls have a single answer, and while something is due already. */
  async play(from: Moment, move: Move): Promise<Moment> {
    // In a test, nothing happens before the calls of the step before are answered.
    const isEarly = 'happening' in move && hasHappening(move.happening) && from.calls.length > 0;
    this.passedCalls.length = 0;
    let moment = await this.#once(isEarly ? await this.#settle(from) : from, move);
    for (let steps = 0; steps < callsMax; steps += 1) {
      const [call] = moment.calls;
      // As on a host, what is due already happens at once, such as a notification with a question.
      const due = moment.waits.find((wait) => dueAt(wait) <= moment.at);
      if (call ? !isLeftToUnderstudy(call, this.#triesRows) : !due) break;
      if (call) this.passedCalls.push(call);
      const next = call
        ? await this.#answer(moment, call, undefined)
        : await this.#branches.wake(moment, due!);
      moment = { ...next, events: [...moment.events, ...next.events] };
    }
    return moment;
  }

  /**
   * Plays a step of a test: its happening, and all calls that follow from it.
   */
  async playStep(from: Moment, step: TestStep): Promise<PlayedStep> {
    const { answers = [], ...happening } = step;
    this.#ports.calls.length = 0;
    this.#ports.give(answers);
    let moment =
      happening.later === undefined && hasHappening(happening)
        ? await this.#once(from, { happening })
        : { ...from, events: hasHappening(happening) ? [] : from.events };
    moment = await this.#letPass(await this.#settle(moment), happening.later ?? '0 ms');
    const isComplete = this.#ports.takeUnused().length === 0;
    return { moment, calls: this.#ports.calls.splice(0), isComplete };
  }

  /** Answers all calls. As on a host, all open calls are made before the first of them is answered. */
  async #settle(from: Moment): Promise<Moment> {
    const made = new Map<string, PortAnswer>();
    let moment = from;
    for (let calls = 0; calls < callsMax && moment.calls.length > 0; calls += 1) {
      for (const call of moment.calls)
        if (!made.has(call.letter)) made.set(call.letter, await this.#answerOf(moment, call));
      const [first] = moment.calls;
      const { letter } = first!;
      const answer = made.get(letter)!;
      made.delete(letter);
      moment = joined(moment, await this.#branches.answer(moment, first!, answer));
      if (calls > callsUnchecked && isTooLarge(moment)) break;
    }
    return moment;
  }

  /** Lets time pass from timer to timer, so that each has its effects before the next is due. */
  async #letPass(from: Moment, later: string): Promise<Moment> {
    const until = later === untilTheEnd ? Infinity : from.at + (readDuration(later) ?? 0);
    let moment = from;
    for (let fired = 0; fired < callsMax && nextDue(moment) <= until; fired += 1) {
      const at = nextDue(moment);
      const due = moment.waits.find((wait) => dueAt(wait) <= at)!;
      moment = await this.#settle(joined(moment, await this.#branches.wake(moment, due)));
    }
    return until === Infinity ? moment : { ...moment, at: Math.max(until, moment.at) };
  }

  async #once(from: Moment, move: Move): Promise<Moment> {
    if ('answer' in move) {
      const [call] = from.calls;
      return call ? this.#answer(from, call, move.answer) : { ...from, refused: 'No call waits.' };
    }
    const { person, event, decide, task, later, operator, child } = move.happening;
    if (person !== undefined) return this.#say(from, person);
    if (event) return this.#send(from, event, child);
    if (operator !== undefined) return this.#send(from, eventOf(operator), child);
    if (decide !== undefined) return this.#decide(from, decide);
    if (task) return this.#giveBack(from, task, child);
    return later === undefined ? from : this.#pass(from, later);
  }

  async #say(from: Moment, text: string): Promise<Moment> {
    const listener = listenerAt(from);
    if (listener === undefined) return { ...from, refused: 'Nobody receives this message.' };
    return this.#branches.say(from, text, listener);
  }

  async #send(from: Moment, event: EventObject, child: string | undefined): Promise<Moment> {
    if (child === undefined) return this.#branches.send(from, event);
    const open = from.children.find(({ definition, ended }) => definition === child && !ended);
    if (!open) return { ...from, refused: `No child "${child}" runs.` };
    return this.#branches.send(from, event, open.id);
  }

  async #decide(from: Moment, given: NonNullable<TestStep['decide']>): Promise<Moment> {
    const { question, ...decision } = typeof given === 'string' ? { decision: given } : given;
    const call = from.waits.find(
      ({ port, input }) =>
        port === 'requestDecision' &&
        (question === undefined || (input['prompt'] as string).includes(question)),
    );
    if (!call) return { ...from, refused: 'Nobody is asked.' };
    const event = { ...decision, type: 'decision.made', key: call.input['key'] };
    return this.#branches.send(from, event, call.instance);
  }

  /** Gives a token back to a task of the instance, or of a child. */
  async #giveBack(from: Moment, given: GivenTask, child: string | undefined): Promise<Moment> {
    const open = this.#branches.openTasks(from);
    const ofChild = child === undefined ? open : open.filter((task) => task.child === child);
    try {
      const task = taskMeant(given, ofChild);
      return await this.#branches.send(from, taskEvent(given, task), task.instance);
    } catch (error) {
      if (error instanceof StepError) return { ...from, refused: error.message };
      throw error;
    }
  }

  /** Lets everything happen that is due. The calls that follow from the last of it stay open. */
  async #pass(from: Moment, later: string): Promise<Moment> {
    const until = from.at + (readDuration(later) ?? 0);
    let moment = from;
    for (let fired = 0; fired < callsMax && nextDue(moment) <= until; fired += 1) {
      const settled = await this.#settle(moment);
      const due = settled.waits.find((wait) => dueAt(wait) === nextDue(settled));
      if (!due || dueAt(due) > until) break;
      moment = joined(settled, await this.#branches.wake(settled, due));
    }
    return { ...moment, at: Math.max(until, moment.at) };
  }

  async #answer(from: Moment, call: WaitingCall, given: GivenAnswer): Promise<Moment> {
    this.#ports.give(given === undefined ? [] : [given]);
    const moment = await this.#answered(from, call);
    this.#ports.takeUnused();
    this.#ports.calls.length = 0;
    return moment;
  }

  /** Answers a call with the next given answer for its port, or as the understudy. */
  async #answered(from: Moment, call: WaitingCall): Promise<Moment> {
    const answer = await this.#answerOf(from, call);
    const moment = await this.#branches.answer(from, call, answer);
    if (!('output' in answer)) return moment;
    return { ...moment, answered: asGiven(call.port, answer.output) };
  }

  async #answerOf({ transcript }: Moment, { port, input }: WaitingCall): Promise<PortAnswer> {
    const spoken = transcript.flatMap(({ role, text }) =>
      role === 'system' ? [] : [{ role, text }],
    );
    const call = {
      signal: neverAborted,
      onText: () => {},
      transcript: async (last: number) => spoken.slice(-last),
    };
    const answerPort = (this.#ports.ports[port] ?? hostPorts[port]) as Port<PortName> | undefined;
    if (!answerPort) return { error: new Error(`The port ${port} fails in this test.`) };
    try {
      return { output: (await askPort(port, answerPort, input, call)) as Json };
    } catch (error) {
      return { error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
}

/** The event that a command of an operator sends. */
function eventOf(command: NonNullable<TestStep['operator']>): EventObject {
  if (typeof command === 'string') return { type: command };
  return 'intervene' in command
    ? { type: 'intervene', id: 'intervention', text: command.intervene }
    : { type: 'cancel', reason: command.cancel };
}

function hasHappening(step: TestStep): boolean {
  return fieldsIn(step, happenings).length > 0;
}

/** Joins two moments that belong to the same step of a test. */
function joined(before: Moment, after: Moment): Moment {
  const refused = before.refused === undefined ? {} : { refused: before.refused };
  return { ...after, ...refused, events: [...before.events, ...after.events] };
}

/** The output of a port as a test file has it. */
function asGiven(port: PortName, output: Json): JsonObject {
  const { result, option } = output as JsonObject;
  if (port === 'runAgent' || port === 'callTool') return { [port]: result ?? null };
  return { [port]: port === 'choose' ? (option ?? null) : output };
}

const neverAborted = new AbortController().signal;

/** Ports that a host answers itself. */
const hostPorts: Partial<Record<PortName, (input: JsonObject) => unknown>> = {
  saveCheckpoint: () => ({ kept: true }),
  countSpending: ({ accounts, cost }) => ({
    accounts: (accounts as readonly JsonObject[]).map(() => ({ cost })),
  }),
};

/** A way into the definition: its beginning and its moves. */
export interface Way {
  readonly beginning: Beginning;
  readonly moves: readonly Move[];
  /** Everything that it reaches. */
  readonly units: ReadonlySet<string>;
  /** Whether the last move is refused. */
  readonly isRefused?: boolean;
  /** Whether the search of a lifecycle has found it, which answers more calls with moves of their own. */
  readonly isOfLifecycle?: boolean;
}

/** Marks ways that end with a failed workflow: others are better examples. */
export const failedMark = 'input failed';

/**
 * The moves as the steps of a test: a happening with the answers that follow it.
 *
 * @returns undefined when a test file cannot express them: the answers of a step are given in order, so the understudy cannot answer
 *   before a given answer of the same port
 */
export function stepsOf(moves: readonly Move[]): readonly TestStep[] | undefined {
  const steps: TestStep[] = [];
  for (const { happening, answers } of groupsOf(moves)) {
    const given: NonNullable<TestStep['answers']> = [];
    for (const [index, { port, answer, usual }] of answers.entries()) {
      const rest = answers.slice(index + 1);
      const isNeeded = rest.some((each) => each.port === port && each.answer !== undefined);
      const written = answer ?? (isNeeded ? usual : undefined);
      if (written !== undefined) given.push(written);
      else if (isNeeded) return undefined;
    }
    steps.push({ ...happening, ...(given.length > 0 ? { answers: given } : {}) });
  }
  return steps;
}

/** The first group is the start: nothing happens in it. */
function groupsOf(moves: readonly Move[]) {
  const groups: { readonly happening?: object; readonly answers: AnswerMove[] }[] = [
    { answers: [] },
  ];
  for (const move of moves)
    if ('happening' in move) groups.push({ happening: move.happening, answers: [] });
    else groups.at(-1)!.answers.push(move);
  return groups;
}
