import type { Meta, StoryObj } from '@storybook/react-vite';
import { expect, userEvent, waitFor, within } from 'storybook/test';
import { twoQuestions } from '../definitions/two-questions.ts';
import { HostStage } from '../host/host-stage.tsx';
import { isInTest } from '../is-in-test.ts';
import { openEvents, pageTimeout } from './play.ts';

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

/** Waits until an instance is in a state of its lifecycle. */
async function reaches(canvasElement: HTMLElement, id: string, state: string): Promise<void> {
  await waitFor(() => {
    const items = Array.from(canvasElement.querySelectorAll('.wb-instances li'));
    const item = items.find((each) => each.querySelector('strong')?.textContent === id);
    return expect(item).toHaveAttribute('data-state', state);
  }, pageTimeout);
}

/** The contact does not answer. The host sends reminders and then abandons the conversation. */
export const HeartbeatsAndAbandonment: Story = {
  args: {
    note: 'The contact is silent. After half an hour the agent sends a reminder, and after two reminders the conversation is abandoned. Ten minutes pass per second: watch, or write an answer to stop the reminders.',
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
    const messages = canvasElement.querySelectorAll('.dg-message[data-role="agent"]');
    await expect(messages.length).toBe(3);
  },
};

/** Two conversations with one person: the second waits until the first has ended. */
export const TwoInstancesForOneContact: Story = {
  args: {
    note: 'Two conversations with one person. The first holds the contact; the second waits in the queue and begins when the first ends. Cancel the first, or answer all its questions.',
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
        pageTimeout,
      );
      if (line === 'the library') await reaches(canvasElement, 'first', 'WAITING_FOR_REPLY');
    }
    await reaches(canvasElement, 'first', 'COMPLETED');
    await reaches(canvasElement, 'second', 'WAITING_FOR_REPLY');
  },
};

/** The host crashes during a reply; another host continues where it was. */
export const CrashAndRecovery: Story = {
  args: {
    note: 'Crash the host while the agent is speaking, and restart it. Only the store is left, and the host repeats the call with the same key.',
    instances: [{ definition: 'visit', id: 'maria-1', contact: 'maria' }],
    wordDelay: isInTest ? 150 : 400,
    canCrash: true,
  },
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    const canvas = within(canvasElement);
    const calls = () => canvasElement.querySelectorAll('[data-type="reply.asked"]');
    await waitFor(() => expect(calls()).toHaveLength(1), pageTimeout);
    await userEvent.click(canvas.getByRole('button', { name: 'Crash the host' }));
    await waitFor(() =>
      expect(canvasElement.querySelector('.wb-stage')).toHaveAttribute('data-up', 'false'),
    );
    await expect(
      canvasElement.querySelector('.dg-message[data-role="agent"]:not([data-partial])'),
    ).toBeNull();
    await userEvent.click(await canvas.findByRole('button', { name: 'Restart the host' }));
    await reaches(canvasElement, 'maria-1', 'WAITING_FOR_REPLY');
    const [first, again] = await openEvents(canvasElement, 'reply.asked');
    await expect(again!['key']).toBe(first!['key']);
    await expect(canvasElement.querySelectorAll('.dg-message[data-role="agent"]')).toHaveLength(1);
  },
};
