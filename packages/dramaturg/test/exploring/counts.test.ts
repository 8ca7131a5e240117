import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { explore } from '../../src/exploring/explore.ts';

const bounds = { steps: 2000, seconds: 3_600 };

async function explored(definition: object, format: string) {
  const { units, unreached, endedAt, findings } = await explore(
    compile(JSON.stringify(definition), { format }),
    { bounds },
  );
  const missing = unreached.flatMap(({ kind, label }) => (kind === 'state' ? [label] : []));
  return { units, missing, endedAt, findings: findings.map(({ code }) => code) };
}

const retrying = (attempts: number) => ({
  StartAt: 'Ask',
  States: {
    Ask: {
      Type: 'Task',
      Agent: 'Ask',
      Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: attempts, BackoffRate: 1 }],
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Given up' }],
      Next: 'Done',
    },
    Done: { Type: 'Succeed' },
    'Given up': { Type: 'Fail', Error: 'Refused' },
  },
});

test('what comes after many retries is reached', async () => {
  expect(await explored(retrying(9), 'asl')).toMatchObject({
    missing: [],
    endedAt: undefined,
    findings: [],
  });
});

test('more retries than the search counts end it at a bound, and are not called a loop without an end', async () => {
  const { States, ...rest } = retrying(5000);
  const Ask = { ...States.Ask, Parameters: { 'text.$': "States.StringToJson('no JSON')" } };
  expect(await explored({ ...rest, States: { ...States, Ask } }, 'asl')).toMatchObject({
    endedAt: 'counts',
    findings: [],
  });
});

test('numbers on both sides of a large limit are told apart, also when they are compared later', async () => {
  const rule = { Variable: '$.price', NumericGreaterThan: 800, Next: 'Dear' };
  const definition = {
    StartAt: 'Ask',
    States: {
      Ask: { Type: 'Task', Agent: 'Ask', ResultPath: '$.price', Next: 'Rest' },
      Rest: { Type: 'Wait', Seconds: 5, Next: 'Again' },
      Again: { Type: 'Task', Agent: 'Look', ResultPath: null, Next: 'Way' },
      Way: { Type: 'Choice', Choices: [rule], Default: 'Cheap' },
      Dear: { Type: 'Pass', Next: 'Done' },
      Cheap: { Type: 'Pass', Next: 'Done' },
      Done: { Type: 'Succeed' },
    },
  };
  expect(await explored(definition, 'asl')).toMatchObject({ missing: [], endedAt: undefined });
});
