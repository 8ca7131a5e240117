import type { JsonObject, PortInput } from '@dramaturg/compiler';
import { whyRefused } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';
import { chain, failure, only, outputOf, pass, run, type RunOptions, startAt } from '../run.ts';

/** The policy of an Approval, its edits, batches, reminders and timeouts. */

type Question = PortInput<'requestDecision'>;

function approval(...parts: JsonObject[]): JsonObject {
  return Object.assign({ Type: 'Approval', Prompt: 'Publish it?', ResultPath: '$.r' }, ...parts);
}

/** Answers each question with the next decision, and leaves later questions open. */
function deciding(...decisions: JsonObject[]): Required<Pick<RunOptions, 'decide'>> & {
  questions: Question[];
} {
  const questions: Question[] = [];
  return {
    questions,
    decide: (question) => {
      questions.push(question);
      return decisions[questions.length - 1];
    },
  };
}

const typesOf = (events: readonly { type: string }[]) =>
  events.map(({ type }) => type).filter((type) => type.startsWith('decision.'));

test('only an approver decides, by name or by role', async () => {
  const policy = { Approvers: { Users: ['ana'], Roles: ['legal'] } };
  const { events, output } = await run(only(approval({ Policy: policy })), {
    ...deciding(
      { decision: 'approve' },
      { decision: 'approve', by: 'bob' },
      { decision: 'approve', by: 'Bob', roles: ['legal'] },
    ),
  });
  expect(events.filter(({ type }) => type === 'decision.refused')).toMatchObject([
    { because: 'The decision must say in "by" who made it.' },
    { because: '"bob" is none of the approvers: ana, who has the role legal.' },
  ]);
  expect(output).toMatchObject({ output: { r: { approval: 'approve', approver: 'Bob' } } });
});

test('nobody is taken for an approver whose name is written in another way', async () => {
  const policy = { Approvers: { Users: ['Ab3'] } };
  const decisions = ['aB3', ' Ab3', 'Ab3'].map((by) => ({ decision: 'approve', by }));
  const { events, output } = await run(only(approval({ Policy: policy })), deciding(...decisions));
  expect(events.filter(({ type }) => type === 'decision.refused')).toHaveLength(2);
  expect(output).toMatchObject({ output: { r: { approver: 'Ab3' } } });
});

test('several people have to approve, each once', async () => {
  const { events, output } = await run(only(approval({ Policy: { RequiredApprovals: 2 } })), {
    ...deciding(
      { decision: 'approve', by: 'ana', comment: 'fine' },
      { decision: 'approve', by: 'Ana' },
      { decision: 'approve', by: 'bob' },
    ),
  });
  expect(typesOf(events)).toEqual([
    'decision.requested',
    'decision.recorded',
    'decision.refused',
    'decision.made',
  ]);
  expect(events).toContainEqual(
    expect.objectContaining({ because: expect.stringContaining('has approved it already') }),
  );
  const at = new Date(startAt).toISOString();
  expect(output).toMatchObject({
    output: {
      r: {
        approval: 'approve',
        approver: 'bob',
        approvals: [
          { approver: 'ana', timestamp: at, comment: 'fine' },
          { approver: 'bob', timestamp: at },
        ],
      },
    },
  });
});

const refund = approval({
  Prompt: 'Refund {{$.amount}} to {{$.to[0]}}?',
  InputPath: '$.case',
  Editable: { Fields: ['$.case.amount', '$.case.to[0]'], ResultPath: '$.edited' },
  Policy: { RequiredApprovals: 2 },
  Escalation: { After: '1h', Notify: ['boss'], Message: 'Still {{$.amount}}' },
});
const asking = { input: { case: { amount: 80, to: ['Mia', 'Max'] } } };

test('the next approver is asked about the edited data', async () => {
  const { questions, decide } = deciding(
    { decision: 'approve', by: 'ana', edited: { case: { amount: 8000 } } },
    { decision: 'approve', by: 'bob', edited: { case: { amount: 8000 } } },
  );
  const { events, output } = await run(only(refund), { ...asking, decide });
  expect(questions.map(({ prompt, data }) => [prompt, data])).toEqual([
    ['Refund 80 to Mia?', asking.input],
    ['Refund 8000 to Mia?', { case: { amount: 8000, to: ['Mia', 'Max'] } }],
  ]);
  // The new id prevents that an answer to the first question decides the second.
  const [first, second] = questions.map(({ id }) => id);
  expect(second).not.toBe(first);
  expect(events.filter(({ type }) => type.startsWith('decision.'))).toMatchObject([
    { type: 'decision.requested', id: first },
    { type: 'decision.recorded', id: first },
    { type: 'decision.requested', id: second, prompt: 'Refund 8000 to Mia?' },
    { type: 'decision.made', id: second },
  ]);
  expect(output).toMatchObject({
    output: {
      edited: { amount: 8000 },
      r: { prompt: 'Refund 8000 to Mia?', approvals: [{ approver: 'ana' }, { approver: 'bob' }] },
    },
  });
});

test('an edit discards earlier approvals, and its author is the first to approve the edited data', async () => {
  const { questions, decide } = deciding(
    { decision: 'approve', by: 'ana', edited: { case: { amount: 90 } } },
    { decision: 'approve', by: 'bob', edited: { case: { to: ['Eve', 'Max'] } } },
    { decision: 'approve', by: 'bob' },
  );
  const open = await run(only(refund), { ...asking, decide });
  expect(open.output).toBeUndefined();
  expect(questions[2]).toMatchObject({
    prompt: 'Refund 90 to Eve?',
    excluded: [{ name: 'bob', because: 'has approved it already' }],
  });
  expect(open.events).toContainEqual(
    expect.objectContaining({ type: 'decision.escalated', text: 'Still 90' }),
  );
  const output = await outputOf(only(refund), {
    ...asking,
    ...deciding(
      { decision: 'approve', by: 'ana', edited: { case: { amount: 90 } } },
      { decision: 'approve', by: 'bob', edited: { case: { to: ['Eve', 'Max'] } } },
      { decision: 'approve', by: 'ana' },
    ),
  });
  expect(output).toMatchObject({
    ...asking.input,
    edited: { amount: 90, case: { to: { 0: 'Eve' } } },
    r: { approvals: [{ approver: 'bob' }, { approver: 'ana' }] },
  });
});

test.for([
  ['$.a.b', { a: { b: 1 } }, { a: { b: 1 }, list: [1, 2], text: 'x' }],
  ['$.text.b', { text: { b: 1 } }, { list: [1, 2], text: { b: 1 } }],
  ['$.list[1]', { list: [1, 4] }, { list: [1, 4], text: 'x' }],
  ['$.list[7]', { list: { 7: 3 } }, { list: { 0: 1, 1: 2, 7: 3 }, text: 'x' }],
  ['$', { other: 1 }, { other: 1 }],
] as const)('the next one sees every edit that was taken: %s', async ([field, edited, seen]) => {
  const fields = { Editable: { Fields: [field] }, Policy: { RequiredApprovals: 2 } };
  const { questions, decide } = deciding({ decision: 'approve', by: 'ana', edited });
  await run(only(approval(fields)), { input: { list: [1, 2], text: 'x' }, decide });
  expect(questions.map(({ data }) => data)).toEqual([{ list: [1, 2], text: 'x' }, seen]);
});

test('an edit that makes the next question impossible fails the Approval', async () => {
  const fields = {
    ItemsPath: '$.items',
    Editable: { Fields: ['$.items'] },
    Policy: { RequiredApprovals: 2 },
  };
  const { output } = await run(only(approval(fields)), {
    input: { items: [1] },
    ...deciding({ decision: 'approve', by: 'ana', edited: { items: 'none' } }),
  });
  expect(output).toMatchObject({
    status: 'failed',
    error: 'States.Runtime',
    cause: 'The ItemsPath of the Approval does not lead to a list.',
  });
});

test('an Approval fails when people never agree', async () => {
  let asked = 0;
  const { output } = await run(only(refund), {
    ...asking,
    decide: () => {
      asked += 1;
      return {
        decision: 'approve',
        by: asked % 2 === 0 ? 'ana' : 'bob',
        edited: { case: { amount: asked } },
      };
    },
  });
  expect(output).toMatchObject({ status: 'failed', error: 'States.ValidationError' });
});

test('one rejection is enough, however many approvals are required', async () => {
  const output = await outputOf(only(approval({ Policy: { RequiredApprovals: 3 } })), {
    ...deciding({ decision: 'approve', by: 'ana' }, { decision: 'reject', by: 'bob' }),
  });
  expect(output).toMatchObject({
    r: { approval: 'reject', approver: 'bob', approvals: [{ approver: 'ana' }] },
  });
});

test('the requestor cannot decide', async () => {
  const workflow = only(approval({ Policy: { ExcludeRequestor: true } }));
  const start = { context: { Execution: { Requestor: 'ana' } } };
  const { events, output } = await run(workflow, {
    start,
    ...deciding({ decision: 'approve', by: ' Ana ' }, { decision: 'approve', by: 'bob' }),
  });
  expect(events).toContainEqual(
    expect.objectContaining({
      because: '" Ana " has requested it, so somebody else has to decide.',
    }),
  );
  expect(output).toMatchObject({ output: { r: { approver: 'bob' } } });
  // An unknown requestor fails the state, so that the policy cannot be bypassed.
  expect((await run(workflow)).output).toMatchObject({
    status: 'failed',
    error: 'States.ValidationError',
  });
});

test('a policy can require a reason', async () => {
  const output = await outputOf(only(approval({ Policy: { RequireReason: true } })), {
    ...deciding({ decision: 'reject', comment: ' ' }, { decision: 'reject', comment: 'too long' }),
  });
  expect(output).toMatchObject({ r: { comment: 'too long' } });
});

test('only editable fields change', async () => {
  const fields = {
    Editable: { Fields: ['$.draft.title', "$['notes'][0]"], ResultPath: '$.edited' },
  };
  const input = { draft: { title: 'old', text: 'x' }, notes: ['a', 'b'] };
  const given = deciding(
    { decision: 'approve', edited: { draft: { text: 'y' } } },
    { decision: 'approve', edited: { notes: ['c', 'd'] } },
    { decision: 'approve', edited: { draft: { title: 'new', text: 'x' }, notes: ['c', 'b'] } },
  );
  const { events, output } = await run(only(approval(fields)), { input, ...given });
  expect(events.filter(({ type }) => type === 'decision.refused')).toMatchObject([
    { because: expect.stringContaining('"draft.text" may not be changed.') },
    { because: expect.stringContaining('"notes.1" may not be changed.') },
  ]);
  expect(output).toMatchObject({
    output: { ...input, edited: { title: 'new', notes: { 0: 'c' } } },
  });
});

test.for([['__proto__'], ['constructor'], ['toString']])(
  'nothing is edited through %s',
  ([field]) => {
    const question = { key: 'k', prompt: '', options: [{ id: 'ok', description: '' }], data: {} };
    const edited = JSON.parse(`{"${field}": {"a": 1}}`) as JsonObject;
    expect(whyRefused({ ...question, editable: ['$.a'] }, { decision: 'ok', edited })).toContain(
      'may not be changed',
    );
  },
);

test('items of a batch are approved one by one, if the definition allows it', async () => {
  const fields = { ItemsPath: '$.items', BatchMode: { AllowPartial: true, MinApproved: 2 } };
  const { questions, decide } = deciding(
    { decision: 'approve', approved: [1] },
    { decision: 'approve', approved: [0, 9] },
    { decision: 'approve', approved: [0, 2] },
  );
  const output = await outputOf(only(approval(fields)), {
    input: { items: ['a', 'b', 'c'] },
    decide,
  });
  expect(questions[0]!.batch).toEqual({
    items: ['a', 'b', 'c'],
    approves: 'approve',
    isDivisible: true,
    least: 2,
  });
  expect(output).toMatchObject({
    r: { approval: 'approve', approved: ['a', 'c'], rejected: ['b'], approvalRate: 2 / 3 },
  });
});

test('an item is approved when it has the required number of approvals', async () => {
  const fields = {
    ItemsPath: '$.items',
    BatchMode: { AllowPartial: true, MinApproved: 1 },
    Policy: { RequiredApprovals: 3 },
  };
  const { questions, decide } = deciding(
    { decision: 'approve', by: 'ana', approved: [1, 2, 3] },
    { decision: 'approve', by: 'bob', approved: [2, 0] },
    { decision: 'approve', by: 'cleo', approved: [] },
    { decision: 'approve', by: 'cleo', approved: [1] },
  );
  const { events, output } = await run(only(approval(fields)), {
    input: { items: ['a', 'b', 'c', 'd'] },
    decide,
  });
  // Each is asked about what those before have approved.
  expect(questions.map(({ batch }) => batch!.items)).toEqual([
    ['a', 'b', 'c', 'd'],
    ['b', 'c', 'd'],
    ['b', 'd'],
    ['b', 'd'],
  ]);
  expect(new Set(questions.map(({ id }) => id)).size).toBe(3);
  expect(events).toContainEqual(
    expect.objectContaining({
      because: 'At least 1 of the 2 items must be approved, and 0 are.',
    }),
  );
  expect(output).toMatchObject({
    output: { r: { approved: ['d'], rejected: ['a', 'b', 'c'], approvalRate: 1 / 4 } },
  });
});

test('the next approver is asked about the edited items', async () => {
  const fields = {
    ItemsPath: '$.items',
    BatchMode: { AllowPartial: true },
    Editable: { Fields: ['$.items'] },
    Policy: { RequiredApprovals: 2 },
  };
  const { questions, decide } = deciding(
    { decision: 'approve', by: 'ana', edited: { items: ['a', 'x'] }, approved: [1, 2] },
    { decision: 'approve', by: 'bob' },
  );
  const output = await outputOf(only(approval(fields)), {
    input: { items: ['a', 'b', 'c'] },
    decide,
  });
  expect(questions[1]!.batch!.items).toEqual(['x']);
  expect(output).toMatchObject({ r: { approved: ['x'], rejected: ['a'], approvalRate: 1 / 2 } });
});

test('an indivisible batch is approved or rejected as a whole', async () => {
  const workflow = only(approval({ ItemsPath: '$.items' }));
  const input = { items: [1, 2] };
  expect(
    await outputOf(workflow, {
      input,
      ...deciding({ decision: 'approve', approved: [0] }, { decision: 'approve' }),
    }),
  ).toMatchObject({ r: { approved: [1, 2], rejected: [], approvalRate: 1 } });
  expect(await outputOf(workflow, { input, ...deciding({ decision: 'reject' }) })).toMatchObject({
    r: { approved: [], rejected: [1, 2], approvalRate: 0 },
  });
});

test('an escalation notifies the same people again, and then others', async () => {
  const fields = {
    Timeout: '24h',
    Default: 'N',
    Escalation: {
      After: '1h',
      Notify: ['slack:#desk', 'ana@example.com'],
      Message: 'Still open: {{$.title}}',
      Repeat: { Every: '2h', MaxTimes: 1 },
      Levels: [{ After: '10h', Notify: ['boss'], EscalateTo: 'boss' }],
    },
  };
  const { events } = await run(chain({ S: approval(fields, { Next: 'N' }), N: pass() }), {
    input: { title: 'Tea' },
  });
  const notifications = events.filter(({ type }) => /escalated|notified/.test(type));
  expect(notifications).toMatchObject([
    { type: 'decision.escalated', level: 1, text: 'Still open: Tea' },
    { type: 'decision.notified', channel: 'slack', to: '#desk', text: 'Still open: Tea' },
    { type: 'decision.notified', to: 'ana@example.com' },
    { type: 'decision.escalated', level: 2 },
    { type: 'decision.notified', channel: 'slack' },
    { type: 'decision.notified', to: 'ana@example.com' },
    { type: 'decision.escalated', level: 3, notify: ['boss'], to: 'boss', text: 'Publish it?' },
    { type: 'decision.notified', to: 'boss' },
  ]);
});

test('a person in EscalateTo may decide from then on', async () => {
  const fields = {
    Policy: { Approvers: ['ana'] },
    Escalation: { After: '1h', Notify: [], EscalateTo: 'boss' },
  };
  const { questions, decide } = deciding();
  const { output, seconds } = await run(only(approval(fields)), {
    decide: (question) =>
      question.approvers!.users.includes('boss')
        ? { decision: 'approve', by: 'boss' }
        : decide(question),
  });
  expect(questions[0]!.approvers).toEqual({ users: ['ana'], roles: [] });
  expect(seconds).toBe(3600);
  expect(output).toMatchObject({ output: { r: { approver: 'boss' } } });
});

test('a level can approve automatically, and the event says so', async () => {
  const levels = [
    { After: '1h', Notify: ['ana'] },
    { After: '2h', AutoApprove: true },
  ];
  const { output, seconds } = await run(only(approval({ Escalation: { Levels: levels } })));
  expect(seconds).toBe(7200);
  const comment = 'Nobody has decided in time.';
  expect(output).toMatchObject({
    output: { r: { approval: 'approve', approver: 'system', comment } },
  });
});

test.for([
  ['AutoApprove', { status: 'succeeded', output: { r: { approval: 'approve' } } }],
  ['AutoReject', { status: 'succeeded', output: { r: { approval: 'reject' } } }],
  ['Fail', { status: 'failed', error: 'States.Timeout' }],
] as const)(
  'OnTimeout says what comes of a question that nobody decides: %s',
  async ([how, expected]) => {
    const fields = { Timeout: '1h', OnTimeout: how };
    expect((await run(only(approval(fields)))).output).toMatchObject(expected);
  },
);

test('OnTimeout can escalate: the timeout is extended once, by its own length', async () => {
  const fields = {
    Timeout: '1h',
    OnTimeout: 'Escalate',
    Escalation: { After: '3h', Notify: ['ana'] },
  };
  const { output, seconds, events } = await run(only(approval(fields)));
  expect(seconds).toBe(7200);
  expect(typesOf(events)).toEqual([
    'decision.requested',
    'decision.escalated',
    'decision.notified',
  ]);
  expect(output).toMatchObject({ status: 'failed', error: 'States.Timeout' });
});

test('notifications are emitted at once or after a delay', async () => {
  const channels = [
    { Type: 'email', To: ['ana@example.com', 'bob@example.com'] },
    { Type: 'slack', Channel: '#desk', Mention: '@ana', OnlyAfter: '30m' },
  ];
  const notifications = { Channels: channels };
  const { events } = await run(only(approval({ Timeout: '1h', Notifications: notifications })));
  expect(events.filter(({ type }) => type === 'decision.notified')).toMatchObject([
    { channel: 'email', to: 'ana@example.com', text: 'Publish it?' },
    { channel: 'email', to: 'bob@example.com' },
    { channel: 'slack', to: '#desk', mention: ['@ana'] },
  ]);
});

test('a question keeps its id when it is asked again, and no two questions share an id', async () => {
  const { questions, decide } = deciding({ decision: 'maybe' });
  const branches = [chain({ A: approval() }), chain({ B: approval() })];
  await run(only({ Type: 'Parallel', Branches: branches }), { decide });
  const [one, other] = questions.map(({ id }) => id);
  expect(questions.map(({ id }) => id)).toEqual([one, other, one]);
  expect(new Set(questions.map(({ key }) => key)).size).toBe(3);
  expect(one).not.toBe(other);
});

test('an error of the port fails the Approval', async () => {
  const { output } = await run(only(approval()), {
    decide: () => {
      throw failure('Desk.Closed', 'nobody there');
    },
  });
  expect(output).toMatchObject({ status: 'failed', error: 'Desk.Closed' });
});
