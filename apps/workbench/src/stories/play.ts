import { isInTest } from '../is-in-test.ts';
import { significantLines } from '@dramaturg/testing/transcript';
import type { StoryContext } from '@storybook/react-vite';
import { expect, userEvent, waitFor, within } from 'storybook/test';
import type { WorkbenchProps } from '../bench/workbench.tsx';

type Stage = Pick<StoryContext, 'canvasElement'> & { readonly args: Partial<WorkbenchProps> };

/** The timeout for the page. The first story waits until the server has transformed its modules, on a busy machine. */
export const pageTimeout = { timeout: 30_000 };

/**
 * Test: plays every transcript of the fixture with the buttons of the page. The calls and states of the machine must be
 * those of the transcript. A definition with mistakes must show them.
 */
export async function playTranscripts({ canvasElement, args }: Stage): Promise<void> {
  if (!isInTest) return;
  const canvas = within(canvasElement);
  await drawn(canvasElement);
  for (const [name, text] of Object.entries(args.transcripts ?? {})) {
    await userEvent.selectOptions(canvas.getByLabelText('Transcript'), name);
    await userEvent.click(playButton(canvasElement));
    await expectPlayed(text, canvasElement);
  }
}

/** Test: the transcript that started when the page was shown has the expected calls and states. */
export async function playOpening({ canvasElement, args }: Stage): Promise<void> {
  if (!isInTest) return;
  await drawn(canvasElement);
  await expectPlayed(args.transcripts![args.opening!]!, canvasElement);
}

async function expectPlayed(text: string, canvasElement: HTMLElement): Promise<void> {
  const canvas = within(canvasElement);
  await waitFor(() => playButton(canvasElement), pageTimeout);
  const expected = significantLines(text);
  const played = (await canvas.findByTestId('performance')).textContent.split('\n');
  await expect(played).toEqual(expected.filter((line) => /^[>?]/.test(line)));
  await expect(statesIn(canvasElement)).toEqual(
    expected.filter((line) => line.startsWith('state: ')),
  );
}

/** The button when nothing is played. A query by role reads the whole page, and is asked again with each change of it. */
function playButton(canvasElement: HTMLElement): HTMLElement {
  const buttons = [...canvasElement.querySelectorAll('button')];
  const button = buttons.find(({ textContent }) => textContent === 'Play transcript');
  if (!button) throw new Error('Nothing can be played yet.');
  return button;
}

/** Waits for a chart or a list of diagnostics. */
async function drawn(canvasElement: HTMLElement): Promise<void> {
  const canvas = within(canvasElement);
  const verdict = await waitFor(() => found(canvasElement, '.wb-verdict'), pageTimeout);
  if (verdict.getAttribute('data-ok') === 'false') {
    await expect((await canvas.findByLabelText('Findings')).children.length).toBeGreaterThan(0);
    return;
  }
  await waitFor(() => found(canvasElement, '.dg-statechart[data-status="done"]'), pageTimeout);
}

function found(canvasElement: HTMLElement, selector: string): HTMLElement {
  const element = canvasElement.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`There is no ${selector} yet.`);
  return element;
}

/** The entered states in order, as lines such as `state: door`. */
function statesIn(canvasElement: HTMLElement): string[] {
  const entered = canvasElement.querySelectorAll('[data-type="state.entered"] .dg-event-summary');
  return Array.from(entered, ({ textContent }) => textContent.split(' · ')[0]!);
}

/** Test: the run ends when each decision gets its first option. */
export async function playWorkflow({ canvasElement }: Stage): Promise<void> {
  if (!isInTest) return;
  await drawn(canvasElement);
  await waitFor(async () => {
    const decision = canvasElement.querySelector<HTMLButtonElement>('.dg-decision button');
    if (decision) await userEvent.click(decision);
    await expect(canvasElement.querySelector('.wb-output')).not.toBeNull();
  }, pageTimeout);
  await expect(canvasElement.querySelectorAll('[data-type="workflow.ended"]')).toHaveLength(1);
}

/**
 * Test: fills in an open decision and chooses its first option.
 *
 * @param fields texts by the labels of their fields; `true` toggles a checkbox
 */
export async function decide(
  canvasElement: HTMLElement,
  fields: Readonly<Record<string, string | true>>,
): Promise<void> {
  const canvas = within(canvasElement);
  for (const [label, value] of Object.entries(fields)) {
    const field = await canvas.findByLabelText(label, {}, pageTimeout);
    if (value === true) await userEvent.click(field);
    else await userEvent.type(field, value);
  }
  const form = found(canvasElement, '.dg-decision');
  await userEvent.click(found(form, 'button'));
  // Waits until the form is gone: the next decision may have the same fields.
  await waitFor(() => expect(form.isConnected).toBe(false), pageTimeout);
}

/** Writes a message and waits for the answer. */
export async function say(canvasElement: HTMLElement, text: string): Promise<void> {
  const canvas = within(canvasElement);
  const field = await canvas.findByRole('textbox', { name: 'Message' });
  await turnOf('person', canvasElement);
  await userEvent.type(field, `${text}{Enter}`, { delay: isInTest ? null : 40 });
  await waitFor(
    () =>
      expect(canvasElement.querySelector('.dg-conversation')).not.toHaveAttribute(
        'data-turn',
        'agent',
      ),
    pageTimeout,
  );
}

/** Replaces the text in the editor by keyboard and clipboard. */
export async function writeDefinition(canvasElement: HTMLElement, text: string): Promise<void> {
  const editor = await within(canvasElement).findByRole(
    'textbox',
    { name: 'Definition' },
    pageTimeout,
  );
  await userEvent.click(editor);
  await userEvent.keyboard('{Control>}a{/Control}');
  await userEvent.paste(text);
}

/** Waits until it is the person's turn, or the conversation has ended. */
export async function turnOf(turn: 'person' | 'ended', canvasElement: HTMLElement): Promise<void> {
  await waitFor(
    () =>
      expect(canvasElement.querySelector('.dg-conversation')).toHaveAttribute('data-turn', turn),
    pageTimeout,
  );
}

/** Test: the tokens in the emitted events complete the waiting tasks. */
export async function playCallbacks({ canvasElement }: Stage): Promise<void> {
  if (!isInTest) return;
  await drawn(canvasElement);
  const canvas = within(canvasElement);
  const completed = new Set<string>();
  await waitFor(async () => {
    for (const event of await openEvents(canvasElement, 'task.scheduled')) {
      const token = String(event['token']);
      if (completed.has(token)) continue;
      completed.add(token);
      const fields = canvas.getByLabelText('Fields of the event, as JSON');
      await userEvent.click(canvas.getByText('Send an event'));
      await userEvent.clear(fields);
      await userEvent.click(fields);
      await userEvent.paste(JSON.stringify({ token, output: { seen: true } }));
      await userEvent.click(canvas.getByRole('button', { name: 'task.succeeded' }));
      await userEvent.click(canvas.getByText('Send an event'));
    }
    await expect(canvasElement.querySelector('.wb-output')).not.toBeNull();
  }, pageTimeout);
  await expect(completed.size).toBe(2);
}

/** Opens each event of a type in the timeline and reads its fields. */
export async function openEvents(
  canvasElement: HTMLElement,
  type: string,
): Promise<Record<string, unknown>[]> {
  const entries = Array.from(canvasElement.querySelectorAll(`[data-type="${type}"]`));
  const all: Record<string, unknown>[] = [];
  for (const entry of entries) {
    const details = entry.querySelector('details')!;
    if (!details.open) await userEvent.click(entry.querySelector('summary')!);
    const text = await waitFor(() => found(entry as HTMLElement, 'pre'));
    all.push(JSON.parse(text.textContent) as Record<string, unknown>);
  }
  return all;
}
