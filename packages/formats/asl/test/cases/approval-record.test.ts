import type { Json, JsonObject, PortInput } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { testState } from '../../src/index.ts';
import { chain, only, outputOf, pass, run, startAt } from '../run.ts';

/** What an Approval shows and stores: its prompt, the edits, the decision's data and its names. Agent 6, Tutorial 8 */

type Question = PortInput<'requestDecision'>;

const at = new Date(startAt).toISOString();

function approval(...parts: JsonObject[]): JsonObject {
  return Object.assign({ Type: 'Approval', Prompt: 'Publish it?', ResultPath: '$.r' }, ...parts);
}

/** Asks once, and takes the first decision. */
async function asked(
  state: JsonObject,
  input: Json,
  decision: JsonObject = { decision: 'approve' },
) {
  const questions: Question[] = [];
  const ran = await run(only(state), {
    input,
    decide: (question) => {
      questions.push(question);
      return questions.length === 1 ? decision : undefined;
    },
  });
  return { ...ran, questions };
}

test('every field of a prompt is shown, and given as data', async () => {
  const Prompt = {
    Title: 'Refund for {{$.who}}',
    'Amount.$': '$.amount',
    Description: 'Please decide.',
    Details: { 'Files Changed.$': 'States.ArrayLength($.files)', empty: {}, none: [] },
    Attachments: [{ Type: 'diff', 'Content.$': '$.diff' }, 'plain'],
    'Flags.$': '$.files',
    'Unknown.$': '$.nothing',
  };
  const input = { who: 'Maria', amount: 40, files: ['a', 'b'], diff: '+1\n-2', nothing: null };
  const { questions, events } = await asked(approval({ Prompt }), input);
  const details = {
    Title: 'Refund for Maria',
    Amount: 40,
    Description: 'Please decide.',
    Details: { 'Files Changed': 2, empty: {}, none: [] },
    Attachments: [{ Type: 'diff', Content: '+1\n-2' }, 'plain'],
    Flags: ['a', 'b'],
    Unknown: null,
  };
  const prompt = `Refund for Maria

Please decide.

Amount: 40
Details:
  Files Changed: 2
  empty: {}
  none: []
Attachments:
  - Type: diff
    Content:
      +1
      -2
  - plain
Flags:
  - a
  - b
Unknown: null`;
  expect(questions[0]).toMatchObject({ prompt, details });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'decision.requested', prompt, details }),
  );
});

test('a prompt of one text has no details', async () => {
  const { questions } = await asked(approval(), {});
  expect(questions[0]).not.toHaveProperty('details');
});

test('a prompt from a path may have fields too, and data have no placeholders', async () => {
  const { Prompt: _prompt, ...fields } = approval({ 'Prompt.$': '$.prompt' });
  const input = { secret: 's', prompt: { Title: 'T', Text: '{{$.secret}}' } };
  const { questions } = await asked(fields, input);
  expect(questions[0]).toMatchObject({ prompt: 'T\n\nText: {{$.secret}}', details: input.prompt });
  const copied = approval({ Prompt: { Title: '{{$.prompt.Title}}', 'Text.$': '$.prompt.Text' } });
  expect((await asked(copied, input)).questions[0]!.prompt).toBe('T\n\nText: {{$.secret}}');
});

test('lines of a value cannot pass for other fields, however deep it is', async () => {
  let deep: Json = 'end';
  for (let level = 0; level < 300; level += 1) deep = { in: deep };
  const Prompt = { Title: 'T', 'Note.$': '$.note', 'Deep.$': '$.deep' };
  const { questions } = await asked(approval({ Prompt }), { note: 'x\nAmount: 1', deep });
  expect(questions[0]!.prompt).toMatch(/^T\n\nNote:\n {2}x\n {2}Amount: 1\nDeep:\n {2}in:\n/);
});

const draft = { draft: { title: 'old', content: 'text', tags: ['a'] }, kept: 1 };
const Editable = {
  Fields: ['$.draft.title', '$.draft.content', '$.draft.tags'],
  ResultPath: '$.edited',
};

test.each<[Json, Json]>([
  [{ title: 'new' }, { title: 'new' }],
  [
    { title: 'new', content: 'more' },
    { title: 'new', content: 'more' },
  ],
  [{ '$.draft.title': 'new' }, { title: 'new' }],
  [{ draft: { title: 'new' } }, { title: 'new' }],
  [{ tags: ['b', 'c'] }, { tags: ['b', 'c'] }],
  [{ title: null }, { title: null }],
])('the edits %j are stored as %j, and the data stay as they are', async (edited, stored) => {
  const { output } = await asked(approval({ Editable }), draft, { decision: 'approve', edited });
  expect(output).toMatchObject({ output: { ...draft, edited: stored } });
});

test('without an edit nothing is stored for it', async () => {
  const { output } = await asked(approval({ Editable }), draft);
  expect(output).toMatchObject({ status: 'succeeded' });
  expect(output).not.toHaveProperty('output.edited');
});

test('fields with the same last name are stored nested', async () => {
  const Fields = ['$.a.title', '$.b.title', '$.c'];
  const { output } = await asked(
    approval({ Editable: { Fields } }),
    {},
    {
      decision: 'approve',
      edited: { 'a.title': 1, 'b.title': 2, c: 3 },
    },
  );
  const editedContent = { a: { title: 1 }, b: { title: 2 }, c: 3 };
  expect(output).toMatchObject({ output: { editedContent } });
});

test('the data of a decision are fields of its record, for later states and in the event', async () => {
  const states = chain({
    A: approval({ Options: ['approve', 'partial'] }),
    B: pass({ Parameters: { 'amount.$': '$.r.amount', 'why.$': '$.r.reasons[0]' } }),
  });
  const data = { amount: 40, reasons: ['late'] };
  const { output, events } = await run(states, {
    decide: () => ({ decision: 'partial', by: 'ana', data }),
  });
  expect(output).toMatchObject({ output: { amount: 40, why: 'late' } });
  expect(events).toContainEqual(expect.objectContaining({ type: 'decision.made', data }));
});

const reservedData = [
  'approval',
  'decision',
  'approver',
  'timestamp',
  'prompt',
  'comment',
  'approvals',
  'approved',
  'rejected',
  'approvalRate',
];

test.each(reservedData)(
  'the data of a decision cannot replace "%s" of the record',
  async (name) => {
    const { events } = await asked(approval(), {}, { decision: 'approve', data: { [name]: 'x' } });
    expect(events).toContainEqual(
      expect.objectContaining({
        because: expect.stringContaining(`must not have a field "${name}"`),
      }),
    );
  },
);

test('in a record that is added to the input, the data have a field of their own', async () => {
  const { ResultPath: _path, ...merged } = approval();
  const given = [{ amount: 40 }, { why: 'late' }];
  const output = await outputOf(chain({ A: { ...merged }, B: { ...merged } }), {
    input: { amount: 7 },
    decide: () => ({ decision: 'approve', data: given.shift()! }),
  });
  expect(output).toEqual({
    amount: 7,
    approval: 'approve',
    approver: 'user',
    timestamp: at,
    prompt: 'Publish it?',
    data: { why: 'late' },
  });
});

test('a record that is added to the input takes no data that would replace others', async () => {
  const { ResultPath: _path, ...merged } = approval();
  const { events } = await asked(merged, { data: 'mine' }, { decision: 'approve', data: { a: 1 } });
  expect(events).toContainEqual(
    expect.objectContaining({ because: 'This decision takes no data.' }),
  );
});

test('several approvers each give data, and later ones replace fields of earlier ones', async () => {
  const decisions = [
    { decision: 'approve', by: 'ana', data: { a: 1, b: 1 } },
    { decision: 'approve', by: 'bob', data: { b: 2 } },
  ];
  const policy = [{ Policy: { RequiredApprovals: 2 } }, { RequiredApprovers: 2 }];
  const outputs = await Promise.all(
    policy.map(async (fields) => {
      const given = [...decisions];
      return outputOf(only(approval(fields)), { decide: () => given.shift() });
    }),
  );
  const r = {
    a: 1,
    b: 2,
    approver: 'bob',
    approvals: [
      { approver: 'ana', data: { a: 1, b: 1 } },
      { approver: 'bob', data: { b: 2 } },
    ],
  };
  expect(outputs).toMatchObject([{ r }, { r }]);
});

test.each([
  ['$.r.decision', { ResultPath: '$.r' }],
  ['$.r.approval', { ResultPath: '$.r' }],
  ['$.approval', { ResultPath: '$.r' }],
  ['$.decision', { ResultPath: '$.r' }],
  ['$.decision', {}],
  ['$.approval', {}],
])('a rule may test the decision at %s, with %j', async (variable, fields) => {
  const state = {
    Type: 'Approval',
    Prompt: 'P',
    ...fields,
    Choices: [{ Variable: variable, StringEquals: 'reject', Next: 'No' }],
    Default: 'Yes',
  };
  const definition = {
    StartAt: 'A',
    States: {
      A: state,
      No: { Type: 'Pass', Result: 'no', End: true },
      Yes: { Type: 'Pass', Result: 'yes', End: true },
    },
  };
  const ends = ['approve', 'reject'].map((decision) =>
    outputOf(definition, { decide: () => ({ decision }) }),
  );
  expect(await Promise.all(ends)).toEqual(['yes', 'no']);
});

test('a field "decision" of the data is not the decision', async () => {
  const state = approval({
    Choices: [{ Variable: '$.decision', StringEquals: 'approve', Next: 'B' }],
    Default: 'C',
  });
  const states = chain({ A: state, B: pass({ Result: 'b', End: true }), C: pass({ Result: 'c' }) });
  const decide = () => ({ decision: 'approve' });
  expect(await outputOf(states, { input: { decision: 'mine' }, decide })).toBe('c');
});

test('the mock of an Approval may have data and flat edits, under either names', () => {
  const definition = approval({ Editable, End: true });
  const results = [
    { decision: 'approve', by: 'ana', edited: { title: 'new' }, data: { x: 1 } },
    { approval: 'approve', approver: 'ana', edited_content: { title: 'new' }, data: { x: 1 } },
  ];
  const outputs = results.map(
    (result) => testState({ definition, input: draft, mock: { result } }).output,
  );
  const r = { x: 1, approval: 'approve', decision: 'approve', approver: 'ana' };
  expect(outputs).toMatchObject([
    { r, edited: { title: 'new' } },
    { r, edited: { title: 'new' } },
  ]);
});
