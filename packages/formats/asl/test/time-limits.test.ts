import { check } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';

function findings(definition: object): string[] {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [asl], format: 'asl' });
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ code, path, hint }) =>
      `${code} ${path.join('.')} ${/For example, (.*) waits/.exec(hint ?? '')?.[1] ?? ''}`.trim(),
    );
}

const wait = (seconds: number, next: string) => ({ Type: 'Wait', Seconds: seconds, Next: next });
const choice = (next: string, otherwise: string) => ({
  Type: 'Choice',
  Choices: [{ Variable: '$.a', IsPresent: true, Next: next }],
  Default: otherwise,
});
const done = { Type: 'Succeed' };

test('the shortest way counts, around loops and beside failures', () => {
  const States = {
    Way: choice('Long', 'Short'),
    Long: wait(100, 'Done'),
    Short: wait(20, 'Again'),
    Again: choice('Short', 'Rest'),
    Rest: wait(20, 'Done'),
    Done: done,
  };
  const limited = (TimeoutSeconds: number) => findings({ StartAt: 'Way', TimeoutSeconds, States });
  expect(limited(40)).toEqual([]);
  expect(limited(39)).toEqual([
    'asl/too-little-time TimeoutSeconds Way → Short → Again → Rest → Done',
  ]);
});

test('a way to a failure is no way out, and a caught error is one', () => {
  const States = (fallback: object) => ({
    Call: {
      Type: 'Task',
      Agent: 'Pay',
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Other' }],
      Next: 'Later',
    },
    Later: { ...wait(50, ''), Next: undefined, End: true },
    Other: fallback,
  });
  const limited = (fallback: object) =>
    findings({ StartAt: 'Call', TimeoutSeconds: 10, States: States(fallback) });
  expect(limited({ Type: 'Fail', Error: 'Lost' })).toEqual([
    'asl/too-little-time TimeoutSeconds Call → Later',
  ]);
  expect(limited(done)).toEqual([]);
});

test('a budget ends a run where an agent is called', () => {
  const limited = (budget: object, seconds: number) =>
    findings({
      StartAt: 'Early',
      Budget: budget,
      States: {
        Early: { Type: 'Task', Agent: 'Plan', Next: 'Rest' },
        Rest: wait(seconds, 'Late'),
        Late: { Type: 'Task', Agent: 'Pay', Next: 'After' },
        After: wait(1_000_000, 'Done'),
        Done: done,
      },
    });
  expect(limited({ MaxDuration: '1h' }, 3600)).toEqual([]);
  expect(limited({ MaxDuration: '1h' }, 3601)).toEqual([
    'asl/too-little-time Budget.MaxDuration Early → Rest → Late → After → Done',
  ]);
  expect(limited({ MaxDuration: '1h', OnExceed: 'Continue' }, 3601)).toEqual([]);
});

test.each([
  [{ Approvers: { Users: ['ana', 'ben'] }, RequiredApprovals: 3 }, {}, true],
  [{ Approvers: { Users: ['ana', 'ana'] }, RequiredApprovals: 2 }, {}, true],
  [{ Approvers: ['ana'], RequiredApprovals: 2 }, {}, true],
  [{ Approvers: { Users: [] } }, {}, true],
  [{ Approvers: { Users: ['ana', 'ben'] }, RequiredApprovals: 2 }, {}, false],
  [{ Approvers: { Users: ['ana'], Roles: ['finance'] }, RequiredApprovals: 3 }, {}, false],
  [{ RequiredApprovals: 3 }, {}, false],
  [
    { Approvers: ['ana'], RequiredApprovals: 2 },
    { Escalation: { After: '1h', EscalateTo: 'ben' } },
    false,
  ],
])('the policy %j with %j has too few approvers: %s', (Policy, more, isReported) => {
  const Ask = {
    Type: 'Approval',
    Prompt: 'Pay?',
    Options: ['approve', 'reject'],
    ResultPath: '$.review',
    Policy,
    ...more,
    End: true,
  };
  const found = findings({ StartAt: 'Ask', States: { Ask } });
  expect(found).toEqual(isReported ? ['asl/few-approvers States.Ask.Policy.Approvers'] : []);
});
