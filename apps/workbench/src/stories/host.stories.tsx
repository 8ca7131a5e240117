import type { Meta, StoryObj } from '@storybook/react-vite';
import { expect, userEvent, waitFor, within } from 'storybook/test';
import { twoQuestions } from '../definitions/two-questions.ts';
import { HostStage } from '../host/host-stage.tsx';
import { isInTest } from '../is-in-test.ts';
import { openedEvents, patience } from './play.ts';

const visit = twoQuestions('strict');

const meta = {
  title: 'Host',
  component: HostStage,
  args: { definitions: { visit }, wordDelay: isInTest ? 0 : 60, pace: 1 },
  argTypes: {
    definitions: { table: { disable: true } },
    instances: { table: { disable: true } },
    note: { table: { disable: true } },
    canCrash: { table: { disable: true } },
    wordDelay: { control: { type: 'range', min: 0, max: 500, step: 20 } },
    pace: { table: { disable: true } },
  },
} satisfies Meta<typeof HostStage>;

export default meta;
type Story = StoryObj<typeof HostStage>;

/** Waits until an instance is in a state of its life. */
async function reaches(canvasElement: HTMLElement, id: string, state: string): Promise<void> {
  await waitFor(() => {
    const items = Array.from(canvasElement.querySelectorAll('.wb-instances li'));
    const item = items.find((each) => each.querySelector('strong')?.textContent === id);
    return expect(item).toHaveAttribute('data-state', state);
  }, patience);
}

/** The contact does not answer: reminders go out, and in the end it is given up. */
export const HeartbeatsAndAbandonment: Story = {
  args: {
    note: 'The contact is silent. After half an hour a reminder goes out, after two of them the conversation is given up. Time goes ten minutes a second: write an answer to stop it, or watch.',
    instances: [
      {
        definition: 'visit',
        id: 'maria-1',
        contact: 'maria',
        lifecycleInput: { heartbeat_config: { interval_ms: 1_800_000, max_followups: 2 } },
      },
    ],
    pace: isInTest ? 3600 : 600,
  },
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    await reaches(canvasElement, 'maria-1', 'ABANDONED');
    const said = canvasElement.querySelectorAll('.dg-message[data-role="agent"]');
    await expect(said.length).toBe(3);
  },
};

/** Two conversations with one person: one speaks, the other waits for its turn. */
export const TwoInstancesForOneContact: Story = {
  args: {
    note: 'Two conversations with one person. The first holds the contact; the second waits in line and begins by itself when the first has ended: cancel it, or answer to its end.',
    instances: [
      { definition: 'visit', id: 'first', contact: 'maria' },
      { definition: 'visit', id: 'second', contact: 'maria' },
    ],
  },
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    const canvas = within(canvasElement);
    await reaches(canvasElement, 'first', 'WAITING_FOR_REPLY');
    await reaches(canvasElement, 'second', 'QUEUED');
    for (const line of ['the library', 'Tuesday']) {
      await userEvent.type(canvas.getByRole('textbox', { name: 'Message' }), `${line}{Enter}`);
      await waitFor(
        () =>
          expect(canvasElement.querySelector('.dg-conversation')).not.toHaveAttribute(
            'data-turn',
            'agent',
          ),
        patience,
      );
      if (line === 'the library') await reaches(canvasElement, 'first', 'WAITING_FOR_REPLY');
    }
    await reaches(canvasElement, 'first', 'COMPLETED');
    await reaches(canvasElement, 'second', 'WAITING_FOR_REPLY');
  },
};

/** The host goes in the middle of a reply; another one goes on where it was. */
export const CrashAndRecovery: Story = {
  args: {
    note: 'Take the host away while the agent is speaking, and start another one: the store is all that is left, and the reply is asked for again with the key it had.',
    instances: [{ definition: 'visit', id: 'maria-1', contact: 'maria' }],
    wordDelay: isInTest ? 150 : 400,
    canCrash: true,
  },
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    const canvas = within(canvasElement);
    const calls = () => canvasElement.querySelectorAll('[data-type="reply.asked"]');
    await waitFor(() => expect(calls()).toHaveLength(1), patience);
    await userEvent.click(canvas.getByRole('button', { name: 'Take the host away' }));
    await waitFor(() =>
      expect(canvasElement.querySelector('.wb-stage')).toHaveAttribute('data-up', 'false'),
    );
    await expect(
      canvasElement.querySelector('.dg-message[data-role="agent"]:not([data-partial])'),
    ).toBeNull();
    await userEvent.click(await canvas.findByRole('button', { name: 'Start it again' }));
    await reaches(canvasElement, 'maria-1', 'WAITING_FOR_REPLY');
    const [first, again] = await openedEvents(canvasElement, 'reply.asked');
    await expect(again!['key']).toBe(first!['key']);
    await expect(canvasElement.querySelectorAll('.dg-message[data-role="agent"]')).toHaveLength(1);
  },
};
