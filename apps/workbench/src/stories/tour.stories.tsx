import type { Meta, StoryObj } from '@storybook/react-vite';
import { expect, within } from 'storybook/test';
import { Workbench } from '../bench/workbench.tsx';
import { SideBySide } from '../compare/side-by-side.tsx';
import { claims } from '../definitions/claims.ts';
import { twoQuestions } from '../definitions/two-questions.ts';
import { isInTest } from '../is-in-test.ts';
import { teachingStory, workbenchMeta } from './fixture-story.ts';
import { pageTimeout, playWorkflow, say, turnOf } from './play.ts';

const meta = {
  title: 'Tour',
  component: Workbench,
  ...workbenchMeta,
} satisfies Meta<typeof Workbench>;

export default meta;

const sides = {
  left: { title: 'Strict', text: twoQuestions('strict') },
  right: { title: 'Loose', text: twoQuestions('loose') },
};

/** Two plans receive the same messages. */
export const StrictAgainstLoose: StoryObj<typeof Workbench> = {
  name: '1 Strict against loose',
  render: ({ speed = 25 }) => (
    <SideBySide
      {...sides}
      speed={speed}
      note="A strict state asks for one thing after the other, and a loose one takes what comes. Write a day, such as Tuesday: the loose chart ticks its task at once, and the strict one asks for the room first."
    />
  ),
  args: { text: '' },
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    const first = await within(canvasElement).findByLabelText('Strict', {}, pageTimeout);
    const second = within(canvasElement).getByLabelText('Loose');
    await say(first, 'Tuesday');
    await turnOf('person', second);
    await expect(first.querySelectorAll('[data-known]')).toHaveLength(0);
    await expect(second.querySelectorAll('[data-known]')).toHaveLength(1);
  },
};

/** Between two messages, a graph passes through hidden states. */
export const HiddenTraversal: StoryObj<typeof Workbench> = {
  ...teachingStory('context-graph/check-in', {
    opening: 'concern',
    note: 'The dashed states are never said: after an answer, the agent recalls, reflects and decides, and only then speaks. Watch the green state go through the frame of the traversal between two messages.',
  }),
  name: '2 Hidden traversal',
};

/** A character asks a follow-up question. */
export const FollowUp: StoryObj<typeof Workbench> = {
  ...teachingStory('npc/lighthouse', {
    opening: 'follow-up',
    note: 'An answer that is neither right nor wrong leads to the follow-up, a state inside the state. The character asks once more, and the score stays as it is.',
  }),
  name: '3 Follow-up',
};

/** A person decides on some of the items of a Map. */
export const AnApprovalInAMap: StoryObj<typeof Workbench> = {
  name: '4 An approval in a Map',
  args: {
    text: claims,
    fileName: 'claims.asl.json',
    input: {
      claims: [
        { what: 'train', euros: 45 },
        { what: 'hotel', euros: 240 },
        { what: 'dinner', euros: 38 },
        { what: 'flight', euros: 310 },
      ],
    },
    agents: { Pay: 'paid' },
    note: 'Each claim is an item of the Map, two at a time, and a large one waits for you while the others go on. Decide: the chart counts the items that have ended.',
  },
  play: playWorkflow,
};

/** A contact who does not answer is reminded. */
export const ALifecycleWithReminders: StoryObj<typeof Workbench> = {
  ...teachingStory('lifecycle/conversation', {
    opening: 'abandoned',
    note: 'The lifecycle of a conversation waits for the contact, and a timer reminds them. After the last reminder without an answer, the conversation is abandoned.',
  }),
  name: '5 A lifecycle with reminders',
};
