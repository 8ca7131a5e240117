import type { Diagnostic } from '@dramaturg/compiler';
import { problem } from '@dramaturg/compiler/format';
import { didYouMean, quotedList, withArticle } from '@dramaturg/compiler/text';

/** Mistakes in a test file. Spec: docs/testing.md#mistakes-in-a-test-file */

export const unknownField = problem(
  'test/unknown-field',
  'error',
  (field: string, what: string, known: readonly string[]) => ({
    message: `${withArticle(what, 'A')} has no field "${field}".`,
    hint: didYouMean(field, known) ?? `Its fields are ${quotedList(known)}.`,
  }),
);

export const twoHappenings = problem(
  'test/two-happenings',
  'error',
  (fields: readonly string[]) => ({
    message: `One step has ${quotedList(fields)}: their order would be unclear.`,
    hint: 'Write a step for each.',
  }),
);

export const emptyStep = problem('test/empty-step', 'error', () => ({
  message: 'This step is empty.',
  hint: 'Begin with what the person says: "- person: Hello".',
}));

export const answersWithoutHappening = problem('test/answers-without-happening', 'error', () => ({
  message: 'Nothing happens in this step, so no call is made that its answers could answer.',
  hint: 'Move the answers to the step that leads to the calls. Only the first step needs nothing: it is the start.',
}));

export const unclearTask = problem('test/unclear-task', 'error', (given: readonly string[]) => ({
  message:
    given.length === 0
      ? '"task" does not say what becomes of the task.'
      : `A task cannot do all of ${quotedList(given)} in one step.`,
  hint: 'Write one of "completes", "fails" and "heartbeat", such as "task: { completes: { approved: true } }".',
}));

export const childWithoutEvent = problem('test/child-without-event', 'error', () => ({
  message:
    '"child" says which agent gets an event, a token or a command, and this step has none of them.',
  hint: 'Remove "child", or add "event", "task" or "operator". Messages and decisions find the child by themselves.',
}));

export const filesWithoutPerson = problem('test/files-without-person', 'error', () => ({
  message: '"files" are sent with a message, and this step has none.',
  hint: 'Add "person". An empty text sends the files alone.',
}));

export const noExpectation = problem('test/no-expectation', 'error', () => ({
  message: 'This test cannot fail: no step says what has to hold.',
  hint: 'Add an expectation to a step, such as "state" or "said".',
}));

export const unknownPort = problem(
  'test/unknown-port',
  'error',
  (port: string, known: readonly string[]) => ({
    message: `There is no port "${port}".`,
    hint: didYouMean(port, known) ?? `An answer has one of these fields: ${quotedList(known)}.`,
  }),
);

export const unknownAgent = problem(
  'test/unknown-agent',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `The definition calls no agent "${name}".`,
    hint:
      didYouMean(name, known) ??
      (known.length > 0 ? `It calls ${quotedList(known)}.` : 'Remove its answer.'),
  }),
);

export const badDuration = problem('test/bad-duration', 'error', (text: string) => ({
  message: `"${text}" is not a length of time.`,
  hint: 'Write it like "2 days", "1 hour 30 minutes", or "to the end".',
}));

export const badTime = problem('test/bad-time', 'error', (text: string) => ({
  message: `"${text}" is not a point in time.`,
  hint: 'Write it like "2026-03-01T09:00:00Z".',
}));

export const badPattern = problem('test/bad-pattern', 'error', (because: string) => ({
  message: `This pattern is not valid: ${because}`,
  hint: 'A text between slashes is a regular expression. Leave the slashes out to look for the text itself.',
}));

export const unknownColumn = problem(
  'test/unknown-column',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `The examples have no column "${name}".`,
    hint: didYouMean(name, known) ?? `Their columns are ${quotedList(known)}.`,
  }),
);

export const sameName = problem('test/same-name', 'error', (name: string) => ({
  message: `Two tests are called "${name}".`,
  hint: 'Give each a name of its own: reports tell tests apart by their names.',
}));

/** Mistakes in a mock configuration of Step Functions Local. */

export const badMockKey = problem('test/bad-mock', 'error', (key: string) => ({
  message: `"${key}" is neither the number of a call nor a range of numbers.`,
  hint: 'Write "0" for the first call, and "1-3" for the three after it.',
}));

export const sameCall = problem('test/bad-mock', 'error', (key: string, other: string) => ({
  message: `"${key}" and "${other}" answer the same call.`,
  hint: 'Calls are counted from 0. Change one of the two.',
}));

export const unclearMock = problem('test/bad-mock', 'error', (hasBoth: boolean) => ({
  message: hasBoth ? 'This response has both "Return" and "Throw".' : 'This response is empty.',
  hint: 'Write { "Return": … } for a result, or { "Throw": { "Error": "Busy" } } for an error.',
}));

export const unknownMock = problem(
  'test/unknown-mock',
  'error',
  (mock: string, known: readonly string[]) => ({
    message: `"MockedResponses" has no "${mock}".`,
    hint: didYouMean(mock, known) ?? `It has ${quotedList(known)}.`,
  }),
);

export const unknownMockedState = problem(
  'test/unknown-state',
  'error',
  (state: string, exists: boolean, known: readonly string[]) => ({
    message: exists
      ? `The state "${state}" is not a Task, so it has nothing to mock.`
      : `The workflow has no state "${state}".`,
    hint: exists
      ? 'Mock the tasks in it, or those before it.'
      : (didYouMean(state, known) ?? `Its states are ${quotedList(known)}.`),
  }),
);

export const unknownCase = problem(
  'test/unknown-case',
  'error',
  (name: string, cases: readonly { readonly name: string }[]) => ({
    message: `The mock file has no test case "${name}" for this definition.`,
    hint:
      didYouMean(
        name,
        cases.map((one) => one.name),
      ) ?? `Its test cases are ${quotedList(cases.map((one) => one.name))}.`,
  }),
);

export const badMockFile = problem(
  'test/no-mocks',
  'error',
  (file: string, { message, range: { start } }: Diagnostic) => ({
    message: `The mocks have a mistake, ${file}:${start.line}:${start.column}: ${message}`,
    hint: `Correct it. "dramaturg test ${file}" shows all mistakes.`,
  }),
);

export const noMockFile = problem('test/no-mocks', 'error', (file: string | undefined) => ({
  message:
    file === undefined
      ? 'A test has "mock", and the file no "mocks".'
      : `There is no file "${file}" here.`,
  hint: 'Name the mock file from the folder of the test file: "mocks: MockConfigFile.json".',
}));

export const noMachine = problem('test/no-definition', 'error', (machine: string) => ({
  message: `There is no definition of the state machine "${machine}" beside this file or above it.`,
  hint: `Save it as "${machine}.asl.json", or name both files in a test file, with "definition" and "mocks".`,
}));
