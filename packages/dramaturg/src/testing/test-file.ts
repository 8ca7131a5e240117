import { type Json, type Path, type PortName, portSchemas } from '@dramaturg/compiler';
import * as z from 'zod';
import type { MockedStates } from './mocks/mocks.ts';

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
