import { isInTest } from '../is-in-test.ts';
import { significantLines } from '@dramaturg/host/transcript';
import type { StoryContext } from '@storybook/react-vite';
import { expect, userEvent, waitFor, within } from 'storybook/test';
import type { WorkbenchProps } from '../bench/workbench.tsx';

type Played = Pick<StoryContext, 'canvasElement'> & { readonly args: Partial<WorkbenchProps> };

/** How long a page may take until it shows something. */
export const patience = { timeout: 15_000 };

/**
 * As a test: every transcript of the fixture is played by the buttons that people have, and what the machine asks and
 * where it goes must be what the transcript says. A definition with mistakes has to show them.
 */
export async function playTranscripts({ canvasElement, args }: Played): Promise<void> {
  if (!isInTest) return;
  const canvas = within(canvasElement);
  await drawn(canvasElement);
  for (const [name, text] of Object.entries(args.transcripts ?? {})) {
    await userEvent.selectOptions(canvas.getByLabelText('Transcript'), name);
    await userEvent.click(canvas.getByRole('button', { name: 'Play transcript' }));
    await playedAs(text, canvasElement);
  }
}

/** As a test: the transcript that was begun when the page was shown is played as it says. */
export async function playOpening({ canvasElement, args }: Played): Promise<void> {
  if (!isInTest) return;
  await drawn(canvasElement);
  await playedAs(args.transcripts![args.opening!]!, canvasElement);
}

async function playedAs(text: string, canvasElement: HTMLElement): Promise<void> {
  const canvas = within(canvasElement);
  await waitFor(() => canvas.getByRole('button', { name: 'Play transcript' }), patience);
  const expected = significantLines(text);
  const played = (await canvas.findByTestId('performance')).textContent.split('\n');
  await expect(played).toEqual(expected.filter((line) => /^[>?]/.test(line)));
  await expect(statesIn(canvasElement)).toEqual(
    expected.filter((line) => line.startsWith('state: ')),
  );
}

/** There is either a chart that was laid out, or a list of what is wrong. */
async function drawn(canvasElement: HTMLElement): Promise<void> {
  const canvas = within(canvasElement);
  const verdict = await waitFor(() => found(canvasElement, '.wb-verdict'), patience);
  if (verdict.getAttribute('data-ok') === 'false') {
    await expect((await canvas.findByLabelText('Findings')).children.length).toBeGreaterThan(0);
    return;
  }
  await waitFor(
    () =>
      expect(canvasElement.querySelector('.dg-statechart')).toHaveAttribute('data-status', 'done'),
    patience,
  );
}

function found(canvasElement: HTMLElement, selector: string): HTMLElement {
  const element = canvasElement.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`There is no ${selector} yet.`);
  return element;
}

/** `state: door`, for each state that was entered, in order. */
function statesIn(canvasElement: HTMLElement): string[] {
  const entered = canvasElement.querySelectorAll('[data-type="state.entered"] .dg-event-summary');
  return Array.from(entered, ({ textContent }) => textContent.split(' · ')[0]!);
}

/** As a test: the run goes to its end, with the first option wherever somebody has to decide. */
export async function playWorkflow({ canvasElement }: Played): Promise<void> {
  if (!isInTest) return;
  await drawn(canvasElement);
  await waitFor(async () => {
    const decision = canvasElement.querySelector<HTMLButtonElement>('.dg-decision button');
    if (decision) await userEvent.click(decision);
    await expect(canvasElement.querySelector('.wb-output')).not.toBeNull();
  }, patience);
  await expect(canvasElement.querySelectorAll('[data-type="workflow.ended"]')).toHaveLength(1);
}

/**
 * As a test: an open decision is filled in, and its first option taken.
 *
 * @param fields texts by the labels of their fields; `true` for what is ticked, or no longer is
 */
export async function decide(
  canvasElement: HTMLElement,
  fields: Readonly<Record<string, string | true>>,
): Promise<void> {
  const canvas = within(canvasElement);
  for (const [label, value] of Object.entries(fields)) {
    const field = await canvas.findByLabelText(label, {}, patience);
    if (value === true) await userEvent.click(field);
    else await userEvent.type(field, value);
  }
  const form = found(canvasElement, '.dg-decision');
  await userEvent.click(found(form, 'button'));
  // The next one may ask for the same.
  await waitFor(() => expect(form.isConnected).toBe(false), patience);
}

/** Writes a message, and waits for the answer. */
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
    patience,
  );
}

/** Puts another text in the place of a definition, as people do. */
export async function writeDefinition(canvasElement: HTMLElement, text: string): Promise<void> {
  const editor = await within(canvasElement).findByRole(
    'textbox',
    { name: 'Definition' },
    patience,
  );
  await userEvent.click(editor);
  await userEvent.keyboard('{Control>}a{/Control}');
  await userEvent.paste(text);
}

/** Waits until it is somebody's move. */
export async function turnOf(who: 'person' | 'ended', canvasElement: HTMLElement): Promise<void> {
  await waitFor(
    () => expect(canvasElement.querySelector('.dg-conversation')).toHaveAttribute('data-turn', who),
    patience,
  );
}

/** As a test: tasks that wait for their token are completed with the one that was told. */
export async function playCallbacks({ canvasElement }: Played): Promise<void> {
  if (!isInTest) return;
  await drawn(canvasElement);
  const canvas = within(canvasElement);
  const completed = new Set<string>();
  await waitFor(async () => {
    for (const told of await openedEvents(canvasElement, 'task.scheduled')) {
      const token = String(told['token']);
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
  }, patience);
  await expect(completed.size).toBe(2);
}

/** What events of a type say in full: each is opened, as people do. */
export async function openedEvents(
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
