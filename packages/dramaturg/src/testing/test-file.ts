import { type Json, type Path, type PortName, portSchemas } from '@dramaturg/compiler';
import * as z from 'zod';
import { AgentError } from '../cli/workflow/agents-port.ts';
import { StepError } from './step-error.ts';

/**
 * The shape of a test file: tests of definitions as text, for authors. Spec: docs/testing.md#the-file
 *
 * Unknown fields are reported by `readTestFile`, which knows the fields of a step by their groups.
 */

const json = z.custom<Json>((value) => value !== undefined);
const jsonObject = z.record(z.string(), json);

/** Parts of a text: each is contained in it, or matches it as `/pattern/flags`. */
const textParts = z.union([z.string(), z.array(z.string())]);

const failure = z.object({
  port: z.enum(Object.keys(portSchemas) as [PortName, ...PortName[]]),
  /** The name of an error that workflows catch, such as `States.Timeout`. */
  error: z.string().optional(),
  message: z.string().optional(),
});

/** One answer: a port and its output, or a failure. */
const answer = z.record(z.string(), json);

/** The decision of a person: an option, or the whole decision. */
const decision = z.union([
  z.string(),
  z.object({
    decision: z.string(),
    /** A part of the question, if several are open. */
    question: z.string().optional(),
    by: z.string().optional(),
    roles: z.array(z.string()).optional(),
    comment: z.string().optional(),
    edited: json.optional(),
    data: jsonObject.optional(),
    approved: z.array(z.int().nonnegative()).optional(),
  }),
]);

const operatorCommand = z.union([
  z.enum(['pause', 'resume', 'cancel']),
  z.object({ intervene: z.string() }),
  z.object({ cancel: z.string() }),
]);

/** The ending of a task that waits for its token. It completes, fails or is still at work. */
const task = z.object({
  /** The state, if several tasks wait. */
  state: z.string().optional(),
  /** The index of its item, if several items wait; of Maps inside each other all indexes, the outermost first. */
  item: z.union([z.int().nonnegative(), z.array(z.int().nonnegative())]).optional(),
  completes: json.optional(),
  fails: z
    .union([z.string(), z.object({ error: z.string(), cause: z.string().optional() })])
    .optional(),
  heartbeat: z.literal(true).optional(),
});

/** The happening of a step: at most one of these fields. */
export const happenings = {
  person: z.string(),
  event: z.looseObject({ type: z.string() }),
  later: z.string(),
  decide: decision,
  task,
  operator: operatorCommand,
};

/** The expectations after a step. */
export const expectations = {
  state: z.string(),
  instance: z.string(),
  said: textParts,
  unsaid: textParts,
  asks: z.array(z.string()),
  collected: jsonObject,
  decisions: z.array(jsonObject),
  calls: z.array(jsonObject),
  emitted: z.union([jsonObject, z.array(jsonObject)]),
  unemitted: z.union([jsonObject, z.array(jsonObject)]),
  /** The time until each timer is due, such as `2 days`; the next one first. */
  timers: z.array(z.string()),
  refused: z.string(),
  outcome: z.string(),
  error: z.string(),
  output: json,
};

export type ExpectationName = keyof typeof expectations;

const step = z.object({
  ...optional(happenings),
  /** The definition that runs as an agent and gets the event, the token or the command. */
  child: z.string().optional(),
  /** Names of the files of a message, such as `referral.jpg`. */
  files: z.array(z.string()).min(1).max(20).optional(),
  answers: z.array(answer).optional(),
  ...optional(expectations),
});

const test = z.object({
  name: z.string(),
  input: jsonObject.optional(),
  lifecycleInput: jsonObject.optional(),
  agents: z.record(z.string(), json).optional(),
  /** A test case of the mock file, as `HappyPath` or `Orders#HappyPath`. */
  mock: z.string().optional(),
  /** A table: the test runs once for each row, with `<column>` replaced. */
  examples: z.array(jsonObject).optional(),
  steps: z.array(step),
});

export const testFileShape = z.object({
  /** The file of the definition, from the folder of the test file. */
  definition: z.string().optional(),
  /** The file of a lifecycle that takes the place of the built-in one. */
  lifecycle: z.string().optional(),
  /** Compile options of the definition's format. */
  options: jsonObject.optional(),
  /** The start of the tests. */
  now: z.string().optional(),
  /** Answers of agents, by name. */
  agents: z.record(z.string(), json).optional(),
  /** The mock file of Step Functions Local, from the folder of the test file. */
  mocks: z.string().optional(),
  tests: z.array(test).min(1),
});

export type TestFile = Omit<z.infer<typeof testFileShape>, 'tests'> & { tests: TestCase[] };
export type TestCase = z.infer<typeof test> & {
  /** The states of its test case in a mock file. Without steps, the mocks decide how the test ends. */
  mocked?: MockedStates;
  /** Where the test is, in a mock file. */
  at?: Path;
};
export type TestStep = z.infer<typeof step>;
export type Failure = z.infer<typeof failure>;
export type GivenDecision = z.infer<typeof decision>;
export type GivenTask = z.infer<typeof task>;
export type OperatorCommand = z.infer<typeof operatorCommand>;

export const failureShape = failure;

export const taskFields: readonly string[] = Object.keys(task.shape);
/** A task does exactly one of these. */
export const taskEndings = ['completes', 'fails', 'heartbeat'] as const;
export const stepFields: readonly string[] = Object.keys(step.shape);
export const testFields: readonly string[] = Object.keys(test.shape);
export const fileFields: readonly string[] = Object.keys(testFileShape.shape);

type Optional<Shape extends Record<string, z.ZodType>> = {
  [Key in keyof Shape]: z.ZodOptional<Shape[Key]>;
};

function optional<Shape extends Record<string, z.ZodType>>(shape: Shape): Optional<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([key, type]) => [key, type.optional()]),
  ) as Optional<Shape>;
}

/** Compares texts with what an author writes in `said`. Spec: docs/testing.md#texts */

/**
 * Reads `/pattern/flags`.
 *
 * @returns undefined for a plain string
 * @throws SyntaxError for a pattern that is not valid
 */
export function readPattern(part: string): RegExp | undefined {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(part) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}

/** Whether a text has a part. A plain part matches regardless of case and white space. */
export function hasPart(text: string, part: string): boolean {
  return readPattern(part)?.test(text) ?? plain(text).includes(plain(part));
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** The answers of a task, by the number of its call or by a range of numbers: `0`, `1-3`. */
type MockedResponses = Readonly<Record<string, MockedResponse>>;

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
    const { Return: result, Throw: thrown } = found;
    if (!thrown) return result!;
    this.thrown.add(thrown.Error);
    throw new AgentError(thrown.Error, thrown.Cause ?? '');
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

/** A time span that an author writes, such as `2 days`. Spec: docs/testing.md#time */

const second = 1000;
const units: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: second,
  second,
  min: 60 * second,
  minute: 60 * second,
  h: 3600 * second,
  hour: 3600 * second,
  day: 24 * 3600 * second,
  week: 7 * 24 * 3600 * second,
};

/** The tests of a file may pass this much time at most: 100 years. */
const longest = 36_525 * 24 * 3600 * second;

/**
 * Reads `2 days`, `1 hour 30 minutes` or `90 s` as milliseconds.
 *
 * @returns undefined for a string that is not a duration, or for a duration that is too long
 */
export function readDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)];
  const rest = text
    .replaceAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi, '')
    .replaceAll(/\band\b|[,\s]/gi, '');
  if (parts.length === 0 || rest !== '') return undefined;
  let total = 0;
  for (const [, count, word] of parts) {
    const name = word!.toLowerCase();
    const unit = units[name] ?? units[name.replace(/s$/, '')];
    if (unit === undefined) return undefined;
    total += Number(count) * unit;
  }
  return total <= longest ? total : undefined;
}

/** The value of `later` that means: until nothing more is due. */
export const untilTheEnd = 'to the end';

const writtenUnits = [
  ['weeks', 7 * 24 * 3_600_000],
  ['days', 24 * 3_600_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** Writes milliseconds as an author does: `1 hours 30 minutes`. The inverse of `readDuration`. */
export function writeDuration(milliseconds: number): string {
  let rest = Math.max(1, Math.ceil(milliseconds));
  const parts: string[] = [];
  for (const [name, length] of writtenUnits) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0)
      parts.push(`${count} ${count === 1 && name.length > 2 ? name.slice(0, -1) : name}`);
  }
  return parts.join(' ');
}
