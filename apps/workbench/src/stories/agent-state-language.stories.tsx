import type { Meta, StoryObj } from '@storybook/react-vite';
import { Workbench } from '../bench/workbench.tsx';
import { publishing } from '../definitions/publishing.ts';
import { fixtureStory, workbenchMeta } from './fixture-story.ts';
import { decide, playCallbacks, playWorkflow } from './play.ts';
import { isInTest } from '../is-in-test.ts';
import { expect, within } from 'storybook/test';

const meta = {
  title: 'Agent State Language',
  component: Workbench,
  ...workbenchMeta,
} satisfies Meta<typeof Workbench>;

export default meta;

export const Broken = fixtureStory('asl/broken');

export const Callbacks = fixtureStory('asl/callbacks', {
  about:
    'Two tasks that are completed from outside: each waits for its token, which the event task.scheduled contains.',
  input: { text: 'Hi' },
  play: playCallbacks,
});

export const Debate = fixtureStory('asl/debate', {
  input: { question: 'Tea or coffee?' },
  agents: {
    Optimist: { response: 'Tea, of course.' },
    Sceptic: { response: 'Neither.' },
    Judge: { decision: 'tea' },
  },
  play: playWorkflow,
});

export const Nightly = fixtureStory('asl/nightly', {
  input: { sources: ['a', 'b', 'c'] },
  play: playWorkflow,
});

export const Order = fixtureStory('asl/order', {
  about: 'A retry, an approval of large orders, and a Map that packs two items at a time.',
  input: { items: [{ sku: 'lamp' }, { sku: 'bulb' }, { sku: 'cord' }] },
  agents: { Price: { sum: 120 }, Fetch: 'shelf 4' },
  play: playWorkflow,
});

export const Panel = fixtureStory('asl/panel', {
  input: { question: 'Rewrite?' },
  agents: {
    Engineer: { vote: 'no', response: 'No.' },
    Designer: { vote: 'no', response: 'Rather not.' },
    Owner: { vote: 'yes', response: 'Yes!' },
    Chair: { decision: 'later' },
  },
  play: playWorkflow,
});

export const Pipeline = fixtureStory('asl/pipeline', {
  about:
    'A template inside the workflow, a save point, and a call of another workflow, which an agent answers here.',
  input: { topic: 'tea' },
  agents: { Writer: 'All about tea.', Spelling: 1, 'workflow:publish': { at: '/tea' } },
  play: playWorkflow,
});

export const Release = fixtureStory('asl/release', {
  about:
    'Two people must approve the notes, each with a name and a reason: ana, bob, or a release manager. The parts are approved item by item.',
  input: { parts: ['program', 'manual', 'samples'] },
  agents: { Writer: { text: 'New: tea.' } },
  play: async (played) => {
    if (!isInTest) return;
    const { canvasElement } = played;
    await decide(canvasElement, { 'Your name': 'ana', Why: 'It is short' });
    await decide(canvasElement, { 'Your name': 'bob', Why: 'It is true' });
    await decide(canvasElement, { samples: true });
    await playWorkflow(played);
    await expect(within(canvasElement).getByText(/"approver": "bob"/)).toBeVisible();
  },
});

export const Report = fixtureStory('asl/report', {
  input: { lines: [{ amount: 4 }, { amount: -1 }, { amount: 6 }] },
  agents: { 'arn:aws:lambda:eu-west-1:123456789012:function:Convert': { euros: 8 } },
  play: playWorkflow,
});

export const Review = fixtureStory('asl/review', {
  input: { text: 'Helo', title: 'Greetings' },
  agents: { Spelling: { mistakes: 1 }, 'workflow:publish': { at: '/greetings' } },
  play: playWorkflow,
});

export const Template = fixtureStory('asl/template');

/** A person decides in one branch while the other continues. */
export const ApprovalInAParallelBranch: StoryObj<typeof Workbench> = {
  args: {
    text: publishing,
    fileName: 'publishing.asl.json',
    input: { title: 'On dramaturgy' },
    agents: { Translate: 'Über Dramaturgie', Proofread: 'Über Dramaturgie' },
    note: 'One branch waits for you while the other translates and proofreads the text. If you refuse, the failure of one branch ends the other and is caught.',
  },
  play: playWorkflow,
};

export const Budget = fixtureStory('asl/budget', {
  about:
    'The agents report their costs. When the budget is exhausted, a person decides whether to continue.',
  input: { sources: ['a', 'b', 'c'] },
  agents: {
    Reader: { summary: 'What it says', _tokens: 5000, _cost: 6, _model: 'large' },
    Editor: { text: 'All of it', _tokens: 5000, _cost: 6, _model: 'large' },
  },
  play: playWorkflow,
});

export const SharedBudget = fixtureStory('asl/shared', {
  about:
    'All runs of the page share the budget of a day and a pool of one dollar. Each costs 40 cents: start it again until the pool is used up.',
  pools: { small: 1 },
  agents: { Writer: { text: 'Hello', _cost: 0.4 } },
  play: playWorkflow,
});

export const Stock = fixtureStory('asl/stock', {
  about:
    'A distributed Map reads its items from a table in S3 and writes its results there. Agents play S3 here.',
  input: { list: 'shelves.csv' },
  agents: {
    'arn:aws:states:::s3:getObject': { Body: 'shelf,row\nA1,1\nA2,1\n' },
    'arn:aws:states:::s3:putObject': {},
    'arn:aws:lambda:eu-west-1:123456789012:function:Count': { boxes: 4 },
  },
  play: playWorkflow,
});

export const Context = fixtureStory('asl/context', {
  input: {
    question: 'Which tea?',
    documents: ['On coffee', 'On green tea'],
    turns: Array.from({ length: 30 }, (_, index) => `turn number ${index}`),
  },
  agents: {
    Clerk: { summary: 'They talked.', _tokens: 9 },
    Adviser: {
      result: { tea: 'green' },
      reasoning: { steps: [{ step: 1, thought: 'Green.' }], conclusion: 'Tea.' },
    },
  },
  play: playWorkflow,
});

export const Guarded = fixtureStory('asl/guarded', {
  about:
    'Guardrails check the input before the agent receives it, and the output before it is sent.',
  input: { text: 'Write to ana@example.com' },
  agents: { Clerk: { text: 'Dear Ana' }, Lawyer: { valid: true } },
  play: playWorkflow,
});

export const Memory = fixtureStory('asl/memory', {
  input: { user: 'u7', messages: ['Hi', 'Again'] },
  agents: { Assistant: { text: 'Welcome', visit: { message: 'Hi' } } },
  play: playWorkflow,
});

export const Models = fixtureStory('asl/models', {
  input: {},
  agents: { Writer: { by: 'large' } },
  play: playWorkflow,
});

export const Survey = fixtureStory('asl/survey', {
  input: { answers: ['fine', 'bad', 'fine'] },
  agents: {
    Reader: { answer: 'fine' },
    Counter: { count: 3 },
    Writer: { text: 'Most are fine.', progress: 80 },
  },
  play: playWorkflow,
});

export const Tools = fixtureStory('asl/tools', {
  input: { question: 'Weather?' },
  agents: { Researcher: { found: 'sunny' } },
  play: playWorkflow,
});
