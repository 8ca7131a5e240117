import type { Json } from '@dramaturg/compiler';
import type { StoryObj } from '@storybook/react-vite';
import type { Workbench, WorkbenchProps } from '../bench/workbench.tsx';
import { fixture } from '../fixtures.ts';
import { isInTest } from '../is-in-test.ts';
import { playOpening, playTranscripts } from './play.ts';

type Story = StoryObj<typeof Workbench>;

interface Extra {
  readonly agents?: WorkbenchProps['agents'];
  readonly pools?: WorkbenchProps['pools'];
  /** The input, if the fixture has none. */
  readonly input?: Json;
  readonly play?: Story['play'];
  /** Explains the story to a newcomer. */
  readonly about?: string;
}

/** Makes a story of a fixture. The test plays all its transcripts, unless `play` is given. */
export function fixtureStory(
  name: string,
  { agents, pools, input, play, about }: Extra = {},
): Story {
  const { text, fileName, options, transcripts, input: own } = fixture(name);
  return {
    args: {
      text,
      fileName,
      format: name.split('/')[0]!,
      options,
      transcripts,
      input: own ?? input,
      ...(agents ? { agents } : {}),
      ...(pools ? { pools } : {}),
    },
    play: play ?? playTranscripts,
    ...(about === undefined ? {} : { parameters: { docs: { description: { story: about } } } }),
  };
}

interface Lesson {
  /** The name of the transcript to play when the page is shown. */
  readonly opening: string;
  /** Explains the purpose of the page. */
  readonly note: string;
}

/** Makes a story that plays one transcript of a fixture when the page is shown. The test checks its result. */
export function teachingStory(name: string, lesson: Lesson): Story {
  const story = fixtureStory(name, { play: playOpening });
  return { ...story, args: { ...story.args, ...lesson } };
}

/** The settings that all stories of the workbench share. */
export const workbenchMeta = {
  args: { speed: isInTest ? 0 : 25, waits: 'real', detail: 'overview' },
  argTypes: {
    text: { table: { disable: true } },
    format: { table: { disable: true } },
    fileName: { table: { disable: true } },
    options: { table: { disable: true } },
    transcripts: { table: { disable: true } },
    onChange: { table: { disable: true } },
    tools: { table: { disable: true } },
    tests: { table: { disable: true } },
    note: { table: { disable: true } },
    opening: { table: { disable: true } },
    speed: { control: { type: 'range', min: 0, max: 60, step: 1 } },
    waits: { control: 'inline-radio', options: ['real', 'skipped'] },
    detail: { control: 'inline-radio', options: ['overview', 'full'] },
    agents: { control: 'object' },
    input: { control: 'object' },
  },
} as const;
