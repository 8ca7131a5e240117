import { compile, InputError } from '@dramaturg/compiler';
import { createActor } from 'xstate';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';

const { machine } = compile('{"StartAt":"End","States":{"End":{"Type":"Succeed"}}}', {
  formats: [asl],
});

function problemsWith(input: unknown): readonly string[] {
  const { error } = createActor(machine!, { input }).getSnapshot();
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(InputError);
  return (error as InputError).problems;
}

test.for([
  [{ total: 10 }, ['"total" is unknown. Known: input, id, name, variables, context.']],
  [
    { inputs: {} },
    ['"inputs" is unknown. Did you mean "input"? Known: input, id, name, variables, context.'],
  ],
  [
    { input: 1, id: 7, name: null, variables: [], context: 'x' },
    [
      '"id" must be a text',
      '"name" must be a text',
      '"variables" must be an object',
      '"context" must be an object',
    ],
  ],
  ['text', ['input']],
] as const)('the input %j of a workflow is refused', ([input, problems]) => {
  expect(problemsWith(input)).toEqual(problems);
});

test.for([
  [undefined],
  [{}],
  [{ input: [1] }],
  [{ id: 'a', conversation: 'a', name: 'b', variables: { x: 1 }, context: { Execution: {} } }],
])('the input %j of a workflow is accepted', ([input]) => {
  expect(problemsWith(input)).toEqual([]);
});

test('the refusal says where the data of a workflow belongs', () => {
  const { error } = createActor(machine!, { input: { total: 10 } }).getSnapshot();
  expect(String(error)).toContain('The data of the workflow belongs in { "input": { ... } }.');
});
