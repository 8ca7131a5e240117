import type { Json } from '@dramaturg/compiler';
import { AgentError } from '../../cli/workflow/agent-error.ts';
import { StepError } from '../step-error.ts';

/** The answers of a task, by the number of its call or by a range of numbers: `0`, `1-3`. */
export type MockedResponses = Readonly<Record<string, MockedResponse>>;

interface MockedResponse {
  readonly Return?: Json | undefined;
  readonly Throw?: { readonly Error: string; readonly Cause?: string | undefined } | undefined;
}

/** The mocked states of a test case: their names, each with the name of its mock and its answers. */
export type MockedStates = Readonly<
  Record<string, { readonly mock: string; readonly responses: MockedResponses }>
>;

/** Answers the tasks of mocked states, as Step Functions Local does. Owns how often each state was called. */
export class Mocks {
  /** Names of the errors that mocks have thrown. */
  readonly thrown = new Set<string>();
  /** The call that no mock answers. */
  fault: StepError | undefined;
  readonly #states: MockedStates;
  readonly #calls = new Map<string, number>();

  constructor(states: MockedStates) {
    this.#states = states;
  }

  has(state: string): boolean {
    return Object.hasOwn(this.#states, state);
  }

  /**
   * The answer of the next call of a state.
   *
   * @throws AgentError the error of the mock; StepError when the mock has no answer
   */
  answer(state: string): Json {
    const { mock, responses } = this.#states[state]!;
    const call = this.#calls.get(state) ?? 0;
    this.#calls.set(state, call + 1);
    const found = responseOf(responses, call);
    if (!found) {
      throw (this.fault = new StepError(
        `The mock "${mock}" of "${state}" has no response for call ${call}. Calls are counted from 0.`,
        `Add "${call}" to it, or look at why the state is entered again.`,
        state,
      ));
    }
    const { Return: result, Throw: failure } = found;
    if (!failure) return result!;
    this.thrown.add(failure.Error);
    throw new AgentError(failure.Error, failure.Cause ?? '');
  }
}

export function responseOf(
  responses: MockedResponses,
  call: number,
): MockedResponses[string] | undefined {
  const found = Object.entries(responses).find(([key]) => {
    const { from, to } = rangeOf(key);
    return from <= call && call <= to;
  });
  return found?.[1];
}

/** The result of a function that is a `Resource` itself is the payload of its response. */
export function resultOf(resource: string, response: Json): Json {
  const isFunction = /^arn:[^:]*:lambda:/.test(resource);
  const { Payload: payload } = Object(response) as { Payload?: Json };
  return isFunction && payload !== undefined ? payload : response;
}

/** The calls that a key of responses means, counted from 0; NaN for other keys. */
export function rangeOf(key: string): { readonly from: number; readonly to: number } {
  const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(key) ?? [];
  return { from: Number(from), to: Number(to) };
}
