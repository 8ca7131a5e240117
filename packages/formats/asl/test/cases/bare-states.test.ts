import { check } from '@dramaturg/compiler';
import { asl } from '@dramaturg/asl';
import { expect, test } from 'vitest';

const codesOf = (states: object) =>
  check(JSON.stringify(states), { formats: [asl] }).diagnostics.map(({ code, path }) =>
    `${code} ${path.join('.')}`.trim(),
  );

const bare = 'asl/bare-states';

test.each<[string, object, string[]]>([
  ['states that are sound', { Ask: { Type: 'Task', Agent: 'x', Next: 'Elsewhere' } }, [bare]],
  [
    'a Task without a worker',
    { Ask: { Type: 'Task', End: true } },
    [bare, 'asl/missing-field Ask'],
  ],
  [
    'a field of a wrong shape',
    { Rest: { Type: 'Wait', Seconds: 'soon', End: true } },
    [bare, 'shape/wrong-value Rest.Seconds'],
  ],
  [
    'a path that is none',
    { Go: { Type: 'Pass', InputPath: 'x', End: true } },
    [bare, 'asl/bad-path Go.InputPath'],
  ],
  ['a state without a way out', { Go: { Type: 'Pass' } }, [bare, 'asl/no-next Go']],
  [
    'a target inside of a state',
    {
      Each: {
        Type: 'Map',
        ItemProcessor: { StartAt: 'A', States: { A: { Type: 'Pass', Next: 'B' } } },
        End: true,
      },
    },
    [bare, 'asl/unknown-target Each.ItemProcessor.States.A.Next'],
  ],
  [
    'states of unknown types',
    { A: { Type: 'Nap' }, B: { Type: 'Pass', End: true } },
    ['format/unknown'],
  ],
  ['something else', { A: { Type: 'Pass', End: true }, Comment: 'x' }, ['format/unknown']],
])('%s, without a workflow around them', (_, states, codes) => {
  expect(codesOf(states)).toEqual(codes);
});
