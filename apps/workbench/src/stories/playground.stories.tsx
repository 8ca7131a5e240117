import type { Meta, StoryObj } from '@storybook/react-vite';
import { expect, userEvent, waitFor, within } from 'storybook/test';
import { fixture } from '../fixtures.ts';
import { isInTest } from '../is-in-test.ts';
import { Playground } from '../playground/playground.tsx';
import { fromHash, toHash } from '../playground/share.ts';
import { patience, say, turnOf, writeDefinition } from './play.ts';

const { text, fileName } = fixture('plan/intake');

const meta = {
  title: 'Playground',
  component: Playground,
  args: { start: { text, fileName }, speed: isInTest ? 0 : 25, detail: 'overview' },
  argTypes: {
    start: { table: { disable: true } },
    speed: { control: { type: 'range', min: 0, max: 60, step: 1 } },
    detail: { control: 'inline-radio', options: ['overview', 'full'] },
  },
  // What was shared in one story is not opened in the next.
  beforeEach: () => () => history.replaceState(null, '', location.pathname + location.search),
} satisfies Meta<typeof Playground>;

export default meta;
type Story = StoryObj<typeof Playground>;

/** Any definition of any format: write, paste or drop one. */
export const Anything: Story = {
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, sound/, {}, { timeout: 10_000 });
    await say(canvasElement, 'Maria');
    await say(canvasElement, '4711');
    await say(canvasElement, 'billing');
    await say(canvasElement, '12');
    await turnOf('ended', canvasElement);

    await writeDefinition(
      canvasElement,
      '{ "persona": { "persona_identity_prompt": "You are Ann." } }',
    );
    await canvas.findByText(/^Scenario for an NPC, with \d+ error/i, {}, { timeout: 5_000 });
    await expect(canvas.getByLabelText('Findings')).toHaveTextContent('npc/');

    await userEvent.click(canvas.getByRole('button', { name: 'Share' }));
    const address = await canvas.findByLabelText('Address of this definition');
    await expect((address as HTMLInputElement).value).toContain('#definition=');
  },
};

// {"text":"{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Succeed\"}}}"}
const address =
  '#definition=q1YqSa0oUbJSqo5RCi5JLCpxLIlRsopRcoxR0gGLlKQWxyhZVYNFQFRIZUEqWEVwaXJyampKjFJtba1SLQA';

const atAnAddress: Pick<Story, 'tags' | 'beforeEach'> = {
  tags: ['!dev', '!autodocs'],
  beforeEach: () => history.replaceState(null, '', address),
};

/** What somebody has shared is there when its address is opened, and again when another one is. */
export const Shared: Story = {
  ...atAnAddress,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Workflow, sound/, {}, patience);
    location.hash = await toHash({ text: '{}', fileName: 'other.plan.json' });
    await canvas.findByText(/^Conversation plan, with/, {}, patience);
    location.hash = address;
    await canvas.findByText(/^Workflow, sound/, {}, patience);
  },
};

/** As a test: an address that cannot be read says so, and what was there stays. */
export const SharedInPart: Story = {
  ...atAnAddress,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Workflow, sound/, {}, patience);
    location.hash = address.slice(0, 60);
    await canvas.findByText(/cannot be read/, {}, patience);
    await canvas.findByText(/^Workflow, sound/);
    await writeDefinition(canvasElement, '{}');
    await waitFor(() => expect(canvas.queryByText(/cannot be read/)).toBeNull(), patience);
  },
};

/** As a test: a text in the place of another one is in a language of its own. */
export const PastedYaml: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, sound/, {}, patience);
    await writeDefinition(canvasElement, 'StartAt: A\nStates:\n  A: { Type: Succeed }\n');
    await canvas.findByText(/^Workflow, sound/, {}, patience);
  },
};

/** As a test: a file is what its name says until somebody changes it, and keeps its language then. */
export const AnOpenedFile: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, sound/, {}, patience);
    const open = async (content: string, name: string) =>
      userEvent.upload(canvas.getByLabelText('Open a file'), new File([content], name));

    await open('{ "title": "x", "states": [] }', 'empty.plan.json');
    await waitFor(
      () => expect(canvas.getByLabelText('Findings')).toHaveTextContent('plan/no-states'),
      patience,
    );
    await expect(await sharedIn(canvasElement)).toMatchObject({ fileName: 'empty.plan.json' });

    await open('{ StartAt: A, States: { A: { Type: Succeed } } }', 'one.asl.yaml');
    await canvas.findByText(/^Workflow, sound/, {}, patience);
    await userEvent.click(canvas.getByRole('textbox', { name: 'Definition' }));
    await userEvent.keyboard('{Control>}{End}{/Control}{Enter}# the end');
    await waitFor(
      async () =>
        expect(await sharedIn(canvasElement)).toEqual({
          text: '{ StartAt: A, States: { A: { Type: Succeed } } }\n# the end',
          fileName: 'definition.yaml',
        }),
      patience,
    );
    await canvas.findByText(/^Workflow, sound/, {}, patience);
  },
};

/** As a test: a state that is picked in the chart is marked in the editor, from its first line on. */
export const APickedState: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByRole('textbox', { name: 'Definition' }, patience);
    await userEvent.click(
      await canvas.findByRole('button', { name: /^strict Customer Intake/ }, patience),
    );
    await waitFor(
      () => expect(canvasElement.querySelector('.cm-selectionBackground')).toBeVisible(),
      patience,
    );
    await expect(canvasElement.querySelector('.cm-activeLine')).toHaveTextContent('{');
  },
};

/** As a test: whoever has a keyboard and nothing else comes out of the editor again. */
export const ByKeyboard: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const editor = await within(canvasElement).findByRole(
      'textbox',
      { name: 'Definition' },
      patience,
    );
    editor.focus();
    await userEvent.tab();
    await expect(editor).not.toHaveFocus();
  },
};

/** What the address of Share holds. */
async function sharedIn(canvasElement: HTMLElement): Promise<unknown> {
  const canvas = within(canvasElement);
  await userEvent.click(canvas.getByRole('button', { name: 'Share' }));
  const link = await canvas.findByLabelText<HTMLInputElement>('Address of this definition');
  return fromHash(new URL(link.value).hash);
}

const busy = JSON.stringify({
  StartAt: 'Work',
  States: {
    Work: { Type: 'Task', Agent: 'worker', Next: 'Again' },
    Again: {
      Type: 'Choice',
      Choices: [{ Variable: '$.stop', IsPresent: true, Next: 'Done' }],
      Default: 'Work',
    },
    Done: { Type: 'Succeed' },
  },
});

/** As a test: what is written is judged also while a run keeps telling events. */
export const WrittenDuringARun: Story = {
  tags: ['!dev', '!autodocs'],
  args: { start: { text: busy }, speed: 60 },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Workflow, sound/, {}, patience);
    await writeDefinition(canvasElement, 'this is no definition');
    await canvas.findByText(/^No definition that is known/, {}, patience);
  },
};
