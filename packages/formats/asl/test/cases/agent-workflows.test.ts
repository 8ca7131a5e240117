import type { Json, JsonObject, PortInput } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { chain, outputOf, pass, run, type RunOptions, task } from '../run.ts';

/** Workflows in the style of the tutorials of Agent State Language, from their start to their end. */

const options: JsonObject = { missing: 'null' };

type Question = PortInput<'requestDecision'>;

function deciding(
  ...decisions: JsonObject[]
): { questions: Question[] } & Required<Pick<RunOptions, 'decide'>> {
  const questions: Question[] = [];
  return {
    questions,
    decide: (question) => {
      questions.push(question);
      return decisions[questions.length - 1];
    },
  };
}

const to = (field: string) => ({ ResultPath: `$.${field}` });

/** The first task replaces the whole input, so later paths lead to nothing. */
const helpdesk = {
  ...chain({
    Look: task({ Agent: 'Look', Parameters: { 'id.$': '$.customer' } }),
    Sort: task({
      Agent: 'Sort',
      Parameters: { 'text.$': '$.text', 'known.$': '$.profile' },
      ...to('sorted'),
    }),
    Route: {
      Type: 'Choice',
      Choices: [
        { Variable: '$.sorted.kind', StringEquals: 'refund', Next: 'Weigh' },
        { Variable: '$.sorted.kind', IsNull: true, Next: 'Lost' },
      ],
      Default: 'Lost',
    },
    Weigh: task({ Agent: 'Weigh', ...to('claim'), Next: 'Ask' }),
    Ask: {
      Type: 'Approval',
      Prompt: { Title: 'Refund?', 'Customer.$': '$.customer', 'Amount.$': '$.claim.amount' },
      Options: ['approve', 'partial', 'deny'],
      ...to('ruling'),
      Next: 'Rule',
    },
    Rule: {
      Type: 'Choice',
      Choices: [
        { Variable: '$.ruling.approval', StringEquals: 'approve', Next: 'Whole' },
        { Variable: '$.ruling.decision', StringEquals: 'partial', Next: 'Part' },
      ],
      Default: 'Deny',
    },
    Whole: pass({ Parameters: { 'amount.$': '$.claim.amount' }, End: true }),
    Part: pass({ Parameters: { 'amount.$': '$.ruling.partialAmount' }, End: true }),
    Deny: pass({
      Parameters: { 'why.$': '$.ruling.reason', 'note.$': '$.ruling.comment' },
      End: true,
    }),
    Lost: pass({ Parameters: { 'text.$': '$.text', 'kind.$': '$.sorted.kind' }, End: true }),
  }),
};

const desk: RunOptions['agents'] = {
  Look: () => ({ profile: 'new' }),
  Sort: ({ text }: { text: Json }) => ({ kind: text === null ? 'refund' : 'other' }),
  Weigh: () => ({ amount: 120 }),
};

test.each<[JsonObject, Json]>([
  [{ decision: 'approve' }, { amount: 120 }],
  [{ decision: 'partial', data: { partialAmount: 40 } }, { amount: 40 }],
  [{ decision: 'partial' }, { amount: null }],
  [
    { decision: 'deny', data: { reason: 'used' }, comment: 'sorry' },
    { why: 'used', note: 'sorry' },
  ],
  [{ decision: 'deny' }, { why: null, note: null }],
])('a helpdesk ends as the decision %j says', async (decision, expected) => {
  const { questions, decide } = deciding(decision);
  const input = { customer: 'c1', text: 'refund' };
  const output = await outputOf(helpdesk, { options, agents: desk, input, decide });
  expect(output).toEqual(expected);
  expect(questions[0]!.prompt).toBe('Refund?\n\nCustomer: null\nAmount: 120');
});

/** A review that goes round: who looks at it may edit it, or asks for changes, until it is passed on. */
const review = chain({
  Write: task({ Agent: 'Write', ...to('draft') }),
  Review: {
    Type: 'Approval',
    Prompt: { Title: 'Review', 'Content.$': '$.draft.content', Round: { 'Number.$': '$.round' } },
    Options: ['approve', 'request_changes', 'reject'],
    Editable: { Fields: ['$.draft.title', '$.draft.content'], ResultPath: '$.editedDraft' },
    Timeout: '24h',
    ...to('review'),
    Choices: [
      { Variable: '$.review.decision', StringEquals: 'approve', Next: 'Publish' },
      { Variable: '$.review.decision', StringEquals: 'request_changes', Next: 'Revise' },
    ],
    Default: 'Rejected',
  },
  Revise: task({
    Agent: 'Revise',
    Parameters: {
      'content.$': '$.draft.content',
      'feedback.$': '$.review.feedback',
      'changes.$': '$.review.changes',
    },
    ...to('revision'),
  }),
  Update: pass({
    Parameters: {
      draft: { 'title.$': '$.draft.title', 'content.$': '$.revision.content' },
      'round.$': 'States.MathAdd($.round, 1)',
    },
  }),
  Limit: {
    Type: 'Choice',
    Choices: [{ Variable: '$.round', NumericGreaterThanEquals: 2, Next: 'Rejected' }],
    Default: 'Review',
  },
  Publish: pass({
    Parameters: {
      'title.$': 'States.Coalesce($.editedDraft.title, $.draft.title)',
      'content.$': 'States.Coalesce($.editedDraft.content, $.draft.content)',
      'by.$': '$.review.approver',
      'round.$': '$.round',
    },
    End: true,
  }),
  Rejected: pass({ Parameters: { status: 'rejected', 'why.$': '$.review.feedback' }, End: true }),
});

const writers: RunOptions['agents'] = {
  Write: () => ({ title: 'On tea', content: 'tea' }),
  Revise: ({
    content,
    feedback,
    changes: asked,
  }: {
    content: string;
    feedback: string;
    changes: Json;
  }) => ({
    content: `${content}+${feedback}+${JSON.stringify(asked)}`,
  }),
};

const changes = (feedback: string) => ({ decision: 'request_changes', data: { feedback } });

test.each<[string, JsonObject[], Json]>([
  [
    'at once',
    [{ decision: 'approve', by: 'ana' }],
    { title: 'On tea', content: 'tea', by: 'ana', round: null },
  ],
  [
    'with an edit',
    [{ decision: 'approve', by: 'ana', edited: { title: 'Of tea' } }],
    { title: 'Of tea', content: 'tea', by: 'ana', round: null },
  ],
  [
    'after a change',
    [changes('short'), { decision: 'approve', by: 'bob' }],
    { title: 'On tea', content: 'tea+short+null', by: 'bob', round: 1 },
  ],
  ['never', [changes('short'), changes('shorter')], { status: 'rejected', why: null }],
  [
    'not at all',
    [{ decision: 'reject', data: { feedback: 'no' } }],
    { status: 'rejected', why: 'no' },
  ],
])('a reviewed draft is published %s', async (_, decisions, expected) => {
  const output = await outputOf(review, { options, agents: writers, ...deciding(...decisions) });
  expect(output).toEqual(expected);
});

/** Strategies leave their results under different names, and the report adds up what is there. */
const strategies = chain({
  Classify: task({ Agent: 'Classify', ...to('class') }),
  Choose: {
    Type: 'Choice',
    Choices: [{ Variable: '$.class.kind', StringEquals: 'simple', Next: 'Answer' }],
    Default: 'Solve',
  },
  Answer: task({ Agent: 'Answer', ...to('answer'), Next: 'Report' }),
  Solve: task({ Agent: 'Answer', ...to('solution') }),
  Report: pass({
    Parameters: {
      'text.$': 'States.Coalesce($.answer.text, $.solution.text)',
      'used.$': 'States.Array($.class.strategy, $.answer.strategy)',
      'steps.$': 'States.MathAdd($.class.steps, $.answer.steps)',
    },
  }),
});

test.each([
  ['simple', { text: 'a', used: ['c', 's'], steps: 3 }],
  ['hard', { text: 'a', used: ['c', null], steps: 1 }],
])('a %s problem is reported by what there is', async (kind, expected) => {
  const agents = {
    Classify: () => ({ kind, strategy: 'c', steps: 1 }),
    Answer: () => ({ text: 'a', strategy: 's', steps: 2 }),
  };
  expect(await outputOf(strategies, { options, agents })).toEqual(expected);
});

test('without the option the same workflows name the first path that leads to nothing', async () => {
  const { output } = await run(helpdesk, { agents: desk, input: { customer: 'c1' } });
  expect(output).toMatchObject({
    error: 'States.ParameterPathFailure',
    cause: expect.stringContaining("'$.text' specified for the field 'text.$'"),
  });
});
