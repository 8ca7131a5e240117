import type { Json, JsonObject, Port, PortName } from '@dramaturg/compiler';
import { ScriptedPorts } from '../testing/scripted-ports.ts';
import { failureShape, type TestStep } from '../testing/test-file.ts';
import { answersTo, type GivenAnswer } from './answers.ts';
import type { Branches, Moment, PortAnswer, WaitingCall } from './branches.ts';
import { dueAt, nextDue } from './due.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What happens to an instance, or the answer of a port, as a test file has them. */
export type Move = { readonly happening: Happening } | AnswerMove;

export interface AnswerMove {
  readonly port: PortName;
  readonly answer: GivenAnswer;
  /** What the understudy answers when the answer is left to it. */
  readonly usual?: JsonObject;
}

/** Nothing happens in the first step: it is the start. */
export type Happening = Pick<TestStep, 'person' | 'event' | 'decide' | 'later' | 'operator'>;

/** Calls that have one answer only: a definition that calls without an end must not hold up the search. */
const callsMax = 100;

/** Plays moves on an instance. What the moves do not answer, the understudy answers, as in a test. */
export class Player {
  readonly #branches: Branches;
  readonly #vocabulary: Vocabulary;
  readonly #ports = new ScriptedPorts({}, {});

  constructor(branches: Branches, vocabulary: Vocabulary) {
    this.#branches = branches;
    this.#vocabulary = vocabulary;
  }

  /** Goes on until a call can be answered in several ways, or nothing is left to answer. */
  async play(from: Moment, move: Move): Promise<Moment> {
    let moment = await this.#once(from, move);
    for (let calls = 0; calls < callsMax; calls += 1) {
      const [call] = moment.calls;
      if (!call || !isUsual(answersTo(call, this.#vocabulary))) break;
      const next = await this.#answer(moment, call, undefined);
      moment = { ...next, events: [...moment.events, ...next.events] };
    }
    return moment;
  }

  async #once(from: Moment, move: Move): Promise<Moment> {
    if ('answer' in move) {
      const [call] = from.calls;
      return call ? this.#answer(from, call, move.answer) : { ...from, refused: 'No call waits.' };
    }
    const { person, event, decide, later } = move.happening;
    if (person !== undefined) return this.#branches.say(from, person);
    if (event) return this.#branches.send(from, event);
    if (decide !== undefined) return this.#decide(from, decide);
    return later === undefined ? from : this.#pass(from);
  }

  async #decide(from: Moment, given: NonNullable<TestStep['decide']>): Promise<Moment> {
    const { question, ...decision } = typeof given === 'string' ? { decision: given } : given;
    const call = from.waits.find(
      ({ port, input }) =>
        port === 'requestDecision' &&
        (question === undefined || (input['prompt'] as string).includes(question)),
    );
    if (!call) return { ...from, refused: 'Nobody is asked.' };
    return this.#branches.send(from, {
      ...decision,
      type: 'decision.made',
      key: call.input['key'],
    });
  }

  /** Lets everything happen that is due next. */
  async #pass(from: Moment): Promise<Moment> {
    const at = nextDue(from);
    let moment = from;
    for (let fired = 0; fired < callsMax; fired += 1) {
      const due = moment.waits.find((wait) => dueAt(wait) <= at);
      if (!due) break;
      moment = await this.#branches.wake(moment, due);
    }
    return moment;
  }

  async #answer(from: Moment, call: WaitingCall, given: GivenAnswer): Promise<Moment> {
    this.#ports.give(given === undefined ? [] : [given]);
    const answer = await this.#answerOf(from, call, given);
    this.#ports.takeUnused();
    this.#ports.calls.length = 0;
    const moment = await this.#branches.answer(from, call, answer);
    return {
      ...moment,
      answered: 'output' in answer ? asGiven(call.port, answer.output) : { ...given },
    };
  }

  async #answerOf(
    { transcript }: Moment,
    { port, input }: WaitingCall,
    given: GivenAnswer,
  ): Promise<PortAnswer> {
    const failure = failureShape.safeParse(given?.['fails']);
    if (failure.success) return { fails: failure.data };
    const spoken = transcript.flatMap(({ role, text }) =>
      role === 'system' ? [] : [{ role, text }],
    );
    const call = {
      signal: neverAborted,
      onText: () => {},
      transcript: async (last: number) => spoken.slice(-last),
    };
    const answerPort = (this.#ports.ports[port] ?? hostPorts[port]) as Port<PortName> | undefined;
    if (!answerPort) return { fails: { port } };
    try {
      return { output: (await answerPort(input as never, call)) as never };
    } catch (error) {
      return { fails: { port, message: error instanceof Error ? error.message : String(error) } };
    }
  }
}

/** Whether a call is always left to the understudy. */
function isUsual(answers: readonly GivenAnswer[]): boolean {
  return answers.length === 1 && answers[0] === undefined;
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
