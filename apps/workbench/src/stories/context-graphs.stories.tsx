import type { Meta } from '@storybook/react-vite';
import { Workbench } from '../bench/workbench.tsx';
import { fixtureStory, teachingStory, workbenchMeta } from './fixture-story.ts';

const meta = {
  title: 'Context graphs',
  component: Workbench,
  ...workbenchMeta,
} satisfies Meta<typeof Workbench>;

export default meta;

export const CheckIn = fixtureStory('context-graph/check-in');

export const Emergency = fixtureStory('context-graph/emergency');

export const FrontDesk = fixtureStory('context-graph/front-desk');

export const Keyed = fixtureStory('context-graph/keyed');

export const LastExit = fixtureStory('context-graph/last-exit');

export const ManyMistakes = fixtureStory('context-graph/many-mistakes');

export const OddNames = fixtureStory('context-graph/odd-names');

export const OneState = fixtureStory('context-graph/one-state');

export const Strict = fixtureStory('context-graph/strict');

export const Summary = fixtureStory('context-graph/summary');

export const Tools = fixtureStory('context-graph/tools');

/** Between two messages the graph passes through hidden states. */
export const HiddenTraversal = teachingStory('context-graph/check-in', {
  opening: 'concern',
  note: 'After one answer of the person, the graph passes through a recall, a reflection and a decision before the agent speaks again. The conversation does not show them; the events and the chart do.',
});
