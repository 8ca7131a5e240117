import type { Meta } from '@storybook/react-vite';
import { Workbench } from '../bench/workbench.tsx';
import { fixtureStory, teachingStory, workbenchMeta } from './fixture-story.ts';

const meta = {
  title: 'NPC',
  component: Workbench,
  ...workbenchMeta,
} satisfies Meta<typeof Workbench>;

export default meta;

export const BareState = fixtureStory('npc/bare-state');

export const BareStates = fixtureStory('npc/bare-states');

export const Ferry = fixtureStory('npc/ferry');

export const Lighthouse = fixtureStory('npc/lighthouse');

export const ManyMistakes = fixtureStory('npc/many-mistakes');

export const NightWatch = fixtureStory('npc/night-watch');

export const OddKeys = fixtureStory('npc/odd-keys');

export const Patience = fixtureStory('npc/patience');

export const PersonaAlone = fixtureStory('npc/persona-alone');

export const Summary = fixtureStory('npc/summary');

export const UnknownState = fixtureStory('npc/unknown-state');

/** A state inside of a state: the evaluator asks one question back, and the next answer decides. */
export const TheFollowUpState = teachingStory('npc/lighthouse', {
  opening: 'follow-up',
  note: 'An answer that decides nothing leads into the follow-up state, inside of the state: the character asks one question back, and the score stays. Watch the chart.',
});
