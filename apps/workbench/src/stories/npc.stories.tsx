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

export const Emergency = fixtureStory('npc/emergency');

export const Ferry = fixtureStory('npc/ferry');

export const Lighthouse = fixtureStory('npc/lighthouse');

export const ManyMistakes = fixtureStory('npc/many-mistakes');

export const NightWatch = fixtureStory('npc/night-watch');

export const OddKeys = fixtureStory('npc/odd-keys');

export const Patience = fixtureStory('npc/patience');

export const PersonaAlone = fixtureStory('npc/persona-alone');

export const Summary = fixtureStory('npc/summary');

export const UnknownState = fixtureStory('npc/unknown-state');

/** A state inside a state: the evaluator asks one more question, and the next answer decides. */
export const TheFollowUpState = teachingStory('npc/lighthouse', {
  opening: 'follow-up',
  note: 'An answer without a clear verdict leads to the follow-up state, inside the state. The character asks one more question, and the score stays the same. Watch the chart.',
});
