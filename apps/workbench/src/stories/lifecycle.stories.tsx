import type { Meta } from '@storybook/react-vite';
import { Workbench } from '../bench/workbench.tsx';
import { fixtureStory, workbenchMeta } from './fixture-story.ts';

const meta = {
  title: 'Lifecycle',
  component: Workbench,
  ...workbenchMeta,
} satisfies Meta<typeof Workbench>;

export default meta;

export const BeginsAtTheEnd = fixtureStory('lifecycle/begins-at-the-end');

export const Broken = fixtureStory('lifecycle/broken');

export const Conversation = fixtureStory('lifecycle/conversation');

export const Fallbacks = fixtureStory('lifecycle/fallbacks');

export const LooseEnds = fixtureStory('lifecycle/loose-ends');

export const Misnamed = fixtureStory('lifecycle/misnamed');

export const NoBeginning = fixtureStory('lifecycle/no-beginning');

export const NoEnd = fixtureStory('lifecycle/no-end');

export const NoStates = fixtureStory('lifecycle/no-states');

export const OddNames = fixtureStory('lifecycle/odd-names');

export const Parcel = fixtureStory('lifecycle/parcel');

export const Review = fixtureStory('lifecycle/review');

export const Workflow = fixtureStory('lifecycle/workflow');
