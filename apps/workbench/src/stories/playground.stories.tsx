import { EditorView } from '@codemirror/view';
import type { Meta, StoryObj } from '@storybook/react-vite';
import { expect, userEvent, waitFor, within } from 'storybook/test';
import { fixture } from '../fixtures.ts';
import { isInTest } from '../is-in-test.ts';
import { Playground } from '../playground/playground.tsx';
import { fromHash, toHash } from '../playground/share.ts';
import { pageTimeout, say, turnOf, writeDefinition } from './play.ts';

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
  // Removes the hash, so that the definition shared by one story does not open in the next.
  beforeEach: () => () => history.replaceState(null, '', location.pathname + location.search),
} satisfies Meta<typeof Playground>;

export default meta;
type Story = StoryObj<typeof Playground>;

/** Any definition of any format: write, paste or drop one. */
export const Anything: Story = {
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    await say(canvasElement, 'Maria');
    await say(canvasElement, '4711');
    await say(canvasElement, 'billing');
    await say(canvasElement, '12');
    await turnOf('ended', canvasElement);

    await writeDefinition(
      canvasElement,
      '{ "persona": { "persona_identity_prompt": "You are Ann." } }',
    );
    await canvas.findByText(/^Scenario for an NPC, with \d+ error/i, {}, pageTimeout);
    await expect(canvas.getByLabelText('Findings')).toHaveTextContent('npc/');

    await userEvent.click(canvas.getByRole('button', { name: 'Share' }));
    const address = await canvas.findByLabelText('Address of this definition');
    await expect((address as HTMLInputElement).value).toContain('#definition=');
    await expect(canvas.getByRole('status')).toHaveTextContent(/^(?:Copied|Copy the address)$/);
  },
};

// {"text":"{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Succeed\"}}}"}
const address =
  '#definition=q1YqSa0oUbJSqo5RCi5JLCpxLIlRsopRcoxR0gGLlKQWxyhZVYNFQFRIZUEqWEVwaXJyampKjFJtba1SLQA';

const atAnAddress: Pick<Story, 'tags' | 'beforeEach'> = {
  tags: ['!dev', '!autodocs'],
  beforeEach: () => history.replaceState(null, '', address),
};

/** Test: an address with a shared definition opens it, and so does a change of the address. */
export const Shared: Story = {
  ...atAnAddress,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Workflow, valid/, {}, pageTimeout);
    location.hash = await toHash({ text: '{}', fileName: 'other.plan.json' });
    await canvas.findByText(/^Conversation plan, with/, {}, pageTimeout);
    location.hash = address;
    await canvas.findByText(/^Workflow, valid/, {}, pageTimeout);
  },
};

/** Test: an address that cannot be read shows an error, and the definition stays. */
export const SharedInPart: Story = {
  ...atAnAddress,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Workflow, valid/, {}, pageTimeout);
    location.hash = address.slice(0, 60);
    await canvas.findByText(/cannot be read/, {}, pageTimeout);
    await canvas.findByText(/^Workflow, valid/);
    await writeDefinition(canvasElement, '{}');
    await waitFor(() => expect(canvas.queryByText(/cannot be read/)).toBeNull(), pageTimeout);
  },
};

/** Test: the language of a pasted text is detected again. */
export const PastedYaml: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    await writeDefinition(canvasElement, 'StartAt: A\nStates:\n  A: { Type: Succeed }\n');
    await canvas.findByText(/^Workflow, valid/, {}, pageTimeout);
  },
};

/** Test: the name of an opened file decides its format. After an edit, only its language stays. */
export const AnOpenedFile: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    const open = async (content: string, name: string) =>
      userEvent.upload(canvas.getByLabelText('Open a file'), new File([content], name));

    await open('{ "title": "x", "states": [] }', 'empty.plan.json');
    await waitFor(
      () => expect(canvas.getByLabelText('Findings')).toHaveTextContent('plan/no-states'),
      pageTimeout,
    );
    await expect(await sharedIn(canvasElement)).toMatchObject({ fileName: 'empty.plan.json' });

    await open('{ StartAt: A, States: { A: { Type: Succeed } } }', 'one.asl.yaml');
    await canvas.findByText(/^Workflow, valid/, {}, pageTimeout);
    await userEvent.click(await canvas.findByRole('textbox', { name: 'Definition' }, pageTimeout));
    await userEvent.keyboard('{Control>}{End}{/Control}{Enter}# the end');
    await waitFor(
      async () =>
        expect(await sharedIn(canvasElement)).toEqual({
          text: '{ StartAt: A, States: { A: { Type: Succeed } } }\n# the end',
          fileName: 'definition.yaml',
        }),
      pageTimeout,
    );
    await canvas.findByText(/^Workflow, valid/, {}, pageTimeout);
  },
};

/** Test: no letter is lost when a person types faster than the page is drawn. */
export const WrittenFast: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    const editor = await canvas.findByRole('textbox', { name: 'Definition' }, pageTimeout);
    const view = EditorView.findFromDOM(editor)!;
    const letters = 'what a person writes in a second of a very busy machine';
    const before = '"title": "';
    let at = view.state.doc.toString().indexOf(before) + before.length;
    for (const letter of letters) {
      view.dispatch({ changes: { from: at, insert: letter } });
      at += 1;
      await new Promise((resolve) => setTimeout(resolve));
    }
    await waitFor(
      async () =>
        expect(await sharedIn(canvasElement)).toMatchObject({
          text: expect.stringContaining(letters) as string,
        }),
      pageTimeout,
    );
    await expect(view.state.doc.toString()).toContain(letters);
  },
};

/** A plan whose initial state has a typing mistake. */
const withTypo = JSON.stringify(
  {
    title: 'Two questions',
    initial_state_id: 'firs',
    states: [
      {
        id: 'first',
        title: 'First',
        type: 'strict',
        tasks: [
          { id: 'who', description: 'Who', deliverables: [{ key: 'name', description: 'Name' }] },
          {
            id: 'where',
            description: 'Where',
            deliverables: [{ key: 'town', description: 'Town' }],
          },
        ],
      },
    ],
  },
  undefined,
  2,
);

/** Test: after a mistake, the last chart and the conversation stay. After the correction, the conversation continues. */
export const AMistake: Story = {
  tags: ['!dev', '!autodocs'],
  args: { start: { text: withTypo, fileName: 'intake.plan.json' } },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, with 1 error/, {}, pageTimeout);
    await userEvent.click(canvas.getByRole('button', { name: 'Use “first”' }));
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    const first = { name: /First/ };
    await canvas.findByRole('button', first, pageTimeout);
    await say(canvasElement, 'Maria');
    await canvas.findByText('Maria', { selector: '.dg-deliverables dd' }, pageTimeout);

    const editor = canvas.getByRole('textbox', { name: 'Definition' });
    await userEvent.click(editor);
    await userEvent.keyboard('{Control>}{End}{/Control}x');
    await canvas.findByText(/^The last chart without errors/, {}, pageTimeout);
    await expect(canvas.getByRole('button', first)).toBeVisible();
    await expect(canvas.getByText('Maria', { selector: '.dg-deliverables dd' })).toBeVisible();

    await userEvent.keyboard('{Backspace}');
    await waitFor(
      () => expect(canvas.queryByText(/^The last chart without errors/)).toBeNull(),
      pageTimeout,
    );
    await expect(canvas.getByText('Maria', { selector: '.dg-deliverables dd' })).toBeVisible();
    await say(canvasElement, 'Turin');
    await turnOf('ended', canvasElement);
  },
};

/** Test: the editor selects a state that is clicked in the chart, and its first line is active. */
export const APickedState: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByRole('textbox', { name: 'Definition' }, pageTimeout);
    const state = await canvas.findByRole('button', { name: /Customer Intake/ }, pageTimeout);
    await userEvent.click(state);
    await waitFor(
      () => expect(canvasElement.querySelector('.cm-selectionBackground')).toBeVisible(),
      pageTimeout,
    );
    await expect(canvasElement.querySelector('.cm-activeLine')).toHaveTextContent('{');
  },
};

/** Test: the chart lights the state and the arrow that the cursor is in. */
export const AWrittenState: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    const editor = await canvas.findByRole('textbox', { name: 'Definition' }, pageTimeout);
    await canvas.findByRole('button', { name: /Customer Intake/ }, pageTimeout);
    const lit = (selector: string) =>
      Array.from(canvasElement.querySelectorAll(selector), (each) => each.textContent);
    const states = () => lit('.dg-state[data-selected] .dg-state-name');
    const view = EditorView.findFromDOM(editor)!;
    view.focus();
    const moveTo = (part: string) =>
      view.dispatch({ selection: { anchor: text.lastIndexOf(part) } });
    moveTo('"General"');
    await waitFor(() => expect(states()).toEqual(['General']), pageTimeout);
    moveTo('"Answer the question"');
    await waitFor(() => expect(states()).toEqual(['Answer the question']), pageTimeout);
    moveTo('"all_tasks_complete"');
    await waitFor(
      () => expect(lit('.dg-arrow-box[data-highlighted]')).toHaveLength(1),
      pageTimeout,
    );
    await expect(states()).toEqual([]);
  },
};

/** Test: the Tab key leaves the editor. */
export const ByKeyboard: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const editor = await within(canvasElement).findByRole(
      'textbox',
      { name: 'Definition' },
      pageTimeout,
    );
    editor.focus();
    await userEvent.tab();
    await expect(editor).not.toHaveFocus();
  },
};

/** Clicks Share and reads the definition in the address. */
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

/** Test: an edited text is compiled while a run emits events. */
export const WrittenDuringARun: Story = {
  tags: ['!dev', '!autodocs'],
  args: { start: { text: busy }, speed: 60 },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Workflow, valid/, {}, pageTimeout);
    await writeDefinition(canvasElement, 'this is not a definition');
    await canvas.findByText(/^Unknown format/, {}, pageTimeout);
  },
};

/** Test: another definition is drawn together with its current state, which is never marked in the previous chart. */
export const Replaced: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    const wait = { Type: 'Wait', Seconds: 3600 };
    const first = {
      StartAt: 'Old',
      States: { Old: { ...wait, Next: 'Hold' }, Hold: { ...wait, End: true } },
    };
    // The current state of this definition has the same position as another state in the first one.
    const second = {
      StartAt: 'Begin',
      States: { Late: { ...wait, End: true }, Begin: { ...wait, Next: 'Late' } },
    };
    const seen = new Set<string>();
    const look = () => {
      const names = (selector: string) =>
        Array.from(canvasElement.querySelectorAll(selector), ({ textContent }) => textContent);
      const [lit] = names('.dg-state[data-light=current] .dg-state-name');
      if (lit !== undefined) seen.add(`${lit} of ${names('.dg-state .dg-state-name').join(', ')}`);
    };
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    await writeDefinition(canvasElement, JSON.stringify(first));
    await waitFor(
      () => (look(), expect([...seen]).toContain('Old of Old, Hold, succeeded')),
      pageTimeout,
    );
    seen.clear();
    const observer = new MutationObserver(look);
    observer.observe(canvasElement, { subtree: true, childList: true, attributes: true });
    await writeDefinition(canvasElement, JSON.stringify(second));
    await waitFor(
      () => expect([...seen].at(-1)).toBe('Begin of Late, Begin, succeeded'),
      pageTimeout,
    );
    observer.disconnect();
    await expect([...seen]).toEqual([
      'Old of Old, Hold, succeeded',
      'Begin of Late, Begin, succeeded',
    ]);
    // A verdict is green only for a definition that runs.
    await writeDefinition(canvasElement, '{"unknown":1}');
    const verdict = await canvas.findByText(/^Unknown format/, {}, pageTimeout);
    await expect(verdict).toHaveAttribute('data-ok', 'false');
  },
};

/** Test: fields and names are completed, and explained, by keyboard. */
export const Assistance: Story = {
  tags: ['!dev', '!autodocs'],
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    // Real keys: those that Storybook simulates also set the selection, which closes a list of completions.
    const { keyboard } = (await import('vitest/browser')).userEvent;
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    const beginning = 'title: Two\nstates:\n  - id: first\n    title: First one\n    ';
    await writeDefinition(canvasElement, beginning);
    await keyboard('trans{Control>} {/Control}');
    await pick(canvasElement, keyboard, 'transitions');
    await keyboard('target{Control>} {/Control}');
    await pick(canvasElement, keyboard, 'target_state_id');
    await keyboard('f{Control>} {/Control}');
    // The key that opens the list does not close it.
    await offered(canvasElement, 'first');
    await keyboard('{Control>} {/Control}{Enter}');
    const editor = canvas.getByRole('textbox', { name: 'Definition' });
    const lines = Array.from(editor.querySelectorAll('.cm-line'), ({ textContent }) => textContent);
    await expect(lines.join('\n')).toBe(`${beginning}transitions:\n      - target_state_id: first`);

    // The cursor is on the name.
    await keyboard('{ArrowLeft}{Control>}ki{/Control}');
    const card = await canvas.findByText('state first', {}, pageTimeout);
    await expect(card.closest('.wb-hover')).toHaveTextContent('First one');
    await keyboard('{Escape}');
    await waitFor(() => expect(canvas.queryByText('state first')).toBeNull(), pageTimeout);

    await keyboard('{F12}');
    await waitFor(() => expect(document.getSelection()?.toString()).toBe('first'), pageTimeout);
  },
};

type Keyboard = (keys: string) => Promise<void>;

/** Waits until an option of the list of completions is selected and can be taken. */
async function offered(canvasElement: HTMLElement, label: string): Promise<void> {
  await waitFor(
    () =>
      expect(
        canvasElement.querySelector(
          '.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) [aria-selected=true] .cm-completionLabel',
        ),
      ).toHaveTextContent(new RegExp(`^${label}$`)),
    pageTimeout,
  );
}

/** Waits for an option of the list of completions, and takes it with Enter. */
async function pick(canvasElement: HTMLElement, keyboard: Keyboard, label: string): Promise<void> {
  await offered(canvasElement, label);
  await keyboard('{Enter}');
  await waitFor(
    () => expect(canvasElement.querySelector('[role=listbox]')).toBeNull(),
    pageTimeout,
  );
}
