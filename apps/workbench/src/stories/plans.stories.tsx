import type { Meta, StoryObj } from '@storybook/react-vite';
import { expect, userEvent, within } from 'storybook/test';
import { Workbench } from '../bench/workbench.tsx';
import { SideBySide } from '../compare/side-by-side.tsx';
import { twoQuestions } from '../definitions/two-questions.ts';
import { fixtureStory, workbenchMeta } from './fixture-story.ts';
import { pageTimeout, playTranscripts, say, turnOf, writeDefinition } from './play.ts';

const meta = {
  title: 'Plans',
  component: Workbench,
  ...workbenchMeta,
} satisfies Meta<typeof Workbench>;

export default meta;

export const Advisory = fixtureStory('plan/advisory');

export const Agents = fixtureStory('plan/agents', {
  about: 'A workflow books the table; when it fails, the plan asks for another evening.',
});

export const Ending = fixtureStory('plan/ending');

export const Everywhere = fixtureStory('plan/everywhere', {
  about: 'An emergency leads to a person from every state, and a new beginning forgets everything.',
});

export const FailingPort = fixtureStory('plan/failing-port');

export const Fitness = fixtureStory('plan/fitness', {
  about:
    'A form to fill in before the conversation, and questions that the person may decline to answer.',
});

export const Goal = fixtureStory('plan/goal');

export const Greeting = fixtureStory('plan/greeting', {
  about:
    'The smallest plan: it asks for a name and says goodbye. Write an answer and watch the chart.',
});

export const Idle = fixtureStory('plan/idle');

export const Intake = fixtureStory('plan/intake', {
  about: 'A strict state asks in order. The kind of issue decides which state comes next.',
});

export const Linear = fixtureStory('plan/linear');

export const ManyMistakes = fixtureStory('plan/many-mistakes');

export const OddIds = fixtureStory('plan/odd-ids');

export const OlderSpelling = fixtureStory('plan/older-spelling');

export const OnDemand = fixtureStory('plan/on-demand');

export const Return = fixtureStory('plan/return');

export const Routing = fixtureStory('plan/routing');

export const Rules = fixtureStory('plan/rules', {
  about: 'Values have limits, and a program checks one of them.',
});

export const Skipping = fixtureStory('plan/skipping');

export const Summary = fixtureStory('plan/summary');

export const Thresholds = fixtureStory('plan/thresholds');

export const UnknownTarget = fixtureStory('plan/unknown-target');

export const Volunteered = fixtureStory('plan/volunteered');

/** Two plans with the same tasks: one has a fixed order, the other any order. Both receive the same message. */
export const StrictAgainstLoose: StoryObj<typeof Workbench> = {
  render: ({ speed = 25 }) => (
    <SideBySide
      note="Two plans with the same two tasks receive your messages. Name a day first, such as Tuesday: the loose state records it, and the strict state keeps it until it has asked for the room."
      left={strict}
      right={loose}
      speed={speed}
    />
  ),
  args: { text: '' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    const first = await canvas.findByLabelText('Strict', {}, pageTimeout);
    const second = canvas.getByLabelText('Loose');
    const known = (side: HTMLElement) => side.querySelectorAll('[data-known]').length;
    await say(first, 'Tuesday');
    await turnOf('person', second);
    await expect([known(first), known(second)]).toEqual([0, 1]);
    await say(first, 'the library');
    await turnOf('ended', second);
    await expect([known(first), known(second)]).toEqual([2, 2]);
  },
};

const strict = { title: 'Strict', text: twoQuestions('strict') };
const loose = { title: 'Loose', text: twoQuestions('loose') };

const { args: greeting } = fixtureStory('plan/greeting');

/** Test: a changed definition starts a new conversation, which the played transcript does not affect. */
export const ChangedAfterATranscript: StoryObj<typeof Workbench> = {
  tags: ['!dev', '!autodocs'],
  args: { ...greeting },
  play: async (context) => {
    const { canvasElement, args } = context;
    await playTranscripts(context);
    await writeDefinition(canvasElement, args.text.replace('greeting', 'welcome'));
    await turnOf('person', canvasElement);
  },
};

/** Test: choosing a model after a transcript restarts the conversation with the model. */
export const AModelAfterATranscript: StoryObj<typeof Workbench> = {
  tags: ['!dev', '!autodocs'],
  args: { ...greeting },
  play: async (context) => {
    const { canvasElement } = context;
    const canvas = within(canvasElement);
    await playTranscripts(context);
    await userEvent.click(canvas.getByRole('button', { name: 'Agent: understudy' }));
    const address = canvas.getByLabelText('Address');
    await userEvent.clear(address);
    await userEvent.type(address, `${location.origin}/no-model`);
    await userEvent.type(canvas.getByLabelText('Model'), 'a-model');
    await userEvent.click(canvas.getByRole('button', { name: 'Use the model' }));
    await canvas.findAllByText(/The model answered 404/, {}, pageTimeout);
  },
};
