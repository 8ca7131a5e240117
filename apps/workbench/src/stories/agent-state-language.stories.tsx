import type { Meta, StoryObj } from '@storybook/react-vite';
import { Workbench } from '../bench/workbench.tsx';
import { publishing } from '../definitions/publishing.ts';
import { fixtureStory, workbenchMeta } from './fixture-story.ts';
import { playCallbacks, playWorkflow } from './play.ts';

const meta = {
  title: 'Agent State Language',
  component: Workbench,
  ...workbenchMeta,
} satisfies Meta<typeof Workbench>;

export default meta;

export const Broken = fixtureStory('asl/broken');

export const Callbacks = fixtureStory('asl/callbacks', {
  about:
    'Two tasks that somebody else completes: each waits for its token, which the event task.scheduled tells.',
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
  about: 'A retry, an approval of what is large, and a map that packs two items at a time.',
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

/** A person decides in one branch while the other goes on. */
export const ApprovalInAParallelBranch: StoryObj<typeof Workbench> = {
  args: {
    text: publishing,
    fileName: 'publishing.asl.json',
    input: { title: 'On dramaturgy' },
    agents: { Translate: 'Über Dramaturgie', Proofread: 'Über Dramaturgie' },
    note: 'One branch waits for you; the other is translated and proofread meanwhile. Refuse, and the failure of one branch ends the other and is caught.',
  },
  play: playWorkflow,
};
