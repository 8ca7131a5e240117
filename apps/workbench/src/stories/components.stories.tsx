import {
  Conversation,
  type ConversationProps,
  Deliverables,
  Statechart,
  type StatechartProps,
  Timeline,
} from '@dramaturg/react';
import type { Meta, StoryObj } from '@storybook/react-vite';
import { compile } from 'dramaturg/browser';
import { expect, fn, userEvent, waitFor, within } from 'storybook/test';
import { fixture } from '../fixtures.ts';

const meta = {
  title: 'Components',
  decorators: [
    (Story) => (
      <main style={{ height: '100vh' }}>
        <Story />
      </main>
    ),
  ],
} satisfies Meta;

export default meta;

const chartOf = (name: string) => compile(fixture(name).text).chart!;
const chart = chartOf('asl/order');
const currentValue = { Pack: { working: { Fetch: 'working' } } };

const drawChart = (args: Partial<StatechartProps>) => <Statechart chart={chart} {...args} />;

/** The states of a snapshot are highlighted. A click on a state calls `onSelect` with its node. */
export const AStatechart: StoryObj<StatechartProps> = {
  render: drawChart,
  args: { value: currentValue, onSelect: fn() },
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement);
    const fetching = await canvas.findByRole(
      'button',
      { name: /Fetch.*current state/ },
      { timeout: 10_000 },
    );
    await expect(fetching).toHaveAccessibleDescription(
      'Arrow keys follow the transitions. Press enter or space to select this state.',
    );
    await userEvent.click(fetching);
    await expect(args.onSelect).toHaveBeenCalledWith(
      expect.objectContaining({ name: 'Fetch', path: ['Pack', 'working', 'Fetch'] }),
    );
    fetching.focus();
    await userEvent.keyboard('{Enter}');
    await expect(args.onSelect).toHaveBeenCalledTimes(2);
  },
};

/** One state is in the tab order. Arrow keys lead along the transitions and back. */
export const ByKeyboard: StoryObj<StatechartProps> = {
  render: drawChart,
  args: { value: 'IsLarge', onSelect: fn() },
  play: async ({ canvasElement }) => {
    const state = (name: RegExp) =>
      within(canvasElement).findByRole('button', { name }, { timeout: 10_000 });
    (await state(/IsLarge.*current state/)).focus();
    const stops = canvasElement.querySelectorAll('.react-flow__node-state[tabindex="0"]');
    await expect(stops).toHaveLength(1);
    const moves = [
      ['{ArrowDown}', /Approval.*Ask/],
      ['{ArrowRight}', /Map.*Pack/],
      ['{ArrowUp}', /Choice.*IsLarge/],
      ['{ArrowUp}', /Task.*Price/],
    ] as const;
    for (const [key, name] of moves) {
      await userEvent.keyboard(key);
      const there = await state(name);
      await waitFor(() => expect(there).toHaveFocus());
    }
  },
};

/** The trail of a run, its failed state, and the progress of a Map. */
export const ARun: StoryObj<StatechartProps> = {
  render: drawChart,
  args: {
    value: currentValue,
    visited: ['Price', 'IsLarge', 'Ask'],
    isFailed: true,
    progress: [{ state: 'Pack', ended: 12, total: 20 }],
  },
  play: async (stage) => {
    await shown(stage);
    const { canvasElement } = stage;
    await waitFor(() =>
      expect(canvasElement.querySelectorAll('.dg-state[data-light="visited"]')).toHaveLength(3),
    );
    await expect(canvasElement.querySelectorAll('.dg-state[data-light="failed"]')).toHaveLength(1);
    await expect(canvasElement.querySelector('figcaption')).toHaveTextContent('Failed in: Fetch');
    await expect(
      within(canvasElement).getByRole('button', { name: /Map.*Pack.*12\/20/ }),
    ).toBeInTheDocument();
  },
};

export const LeftToRightInTheDark: StoryObj<StatechartProps> = {
  render: drawChart,
  args: { value: currentValue, direction: 'LR', colorScheme: 'dark' },
  globals: { colours: 'dark' },
  play: shown,
};

/** Every node and transition of the machine. */
export const InFull: StoryObj<StatechartProps> = {
  render: (args) => <Statechart {...args} chart={chartOf('plan/greeting')} />,
  args: { detail: 'full' },
  play: shown,
};

/** Waits until the chart is drawn. */
async function shown({ canvasElement }: { readonly canvasElement: HTMLElement }): Promise<void> {
  await waitFor(
    () =>
      expect(canvasElement.querySelector('.dg-statechart')).toHaveAttribute('data-status', 'done'),
    { timeout: 10_000 },
  );
}

const messages: ConversationProps['messages'] = [
  { id: '1', role: 'agent', text: 'Hello! What is your name?' },
  { id: '2', role: 'person', text: 'Ada' },
  { id: '3', role: 'note', text: 'The port "reply" failed: the model is overloaded.' },
];

export const AConversation: StoryObj<ConversationProps> = {
  render: (args) => <Conversation {...args} />,
  args: { messages, turn: 'agent', partial: 'Thank you, A', onSay: fn() },
  play: async ({ canvasElement, args }) => {
    const field = within(canvasElement).getByRole('textbox', { name: 'Message' });
    await userEvent.type(field, 'one{Shift>}{Enter}{/Shift}two{Enter}');
    await expect(args.onSay).toHaveBeenCalledWith('one\ntwo');
    await expect(field).toHaveValue('');
  },
};

export const ADecision: StoryObj<ConversationProps> = {
  render: (args) => <Conversation {...args} />,
  args: {
    messages: [],
    turn: 'person',
    decisions: [
      {
        key: 'a',
        prompt: 'Send goods for 120 euros?',
        options: [
          { id: 'approve', description: 'Send them' },
          { id: 'refuse', description: 'Do not' },
        ],
      },
    ],
    onDecide: fn(),
  },
  play: async ({ canvasElement, args }) => {
    await userEvent.click(within(canvasElement).getByRole('button', { name: 'approve' }));
    await expect(args.onDecide).toHaveBeenCalledWith('a', { decision: 'approve' });
  },
};

/** The form has fields for a name, a reason, edits and items, depending on the decision. */
export const ADecisionInFull: StoryObj<ConversationProps> = {
  render: (args) => <Conversation {...args} />,
  args: {
    messages: [],
    turn: 'person',
    decisions: [
      {
        key: 'a',
        prompt: 'Which of these go out, and under which title?',
        options: [
          { id: 'approve', description: 'They go out' },
          { id: 'reject', description: 'None of them does' },
        ],
        data: { draft: { title: 'Spring', pages: 12 } },
        editable: ['$.draft.title'],
        approvers: { users: ['ana'], roles: ['editor'] },
        isNamed: true,
        isExplained: true,
        batch: {
          items: ['The letter', { name: 'The map' }, 'The photographs'],
          approves: 'approve',
          isDivisible: true,
          least: 1,
        },
      },
    ],
    onDecide: fn(),
  },
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement);
    const approve = canvas.getByRole('button', { name: 'approve' });
    await userEvent.click(approve);
    await expect(canvas.getByRole('alert')).toHaveTextContent(
      'The decision must say in "by" who made it.',
    );
    await userEvent.type(canvas.getByLabelText('Your name'), 'bob');
    await userEvent.click(approve);
    await expect(canvas.getByRole('alert')).toHaveTextContent('"bob" is none of the approvers');
    await userEvent.selectOptions(canvas.getByLabelText('Your role'), 'editor');
    await userEvent.type(canvas.getByLabelText('Why'), 'Short of space');
    await userEvent.type(canvas.getByLabelText('draft.title'), ' 2027');
    await userEvent.click(canvas.getByLabelText('{"name":"The map"}'));
    await expect(args.onDecide).not.toHaveBeenCalled();
    await userEvent.click(approve);
    await expect(args.onDecide).toHaveBeenCalledWith('a', {
      decision: 'approve',
      by: 'bob',
      roles: ['editor'],
      comment: 'Short of space',
      approved: [0, 2],
      edited: { '$.draft.title': 'Spring 2027' },
    });
    await expect(canvas.queryByRole('alert')).toBeNull();
  },
};

const thousands = Array.from({ length: 5_000 }, (_, index) => ({
  id: String(index),
  at: index * 750,
  source: index % 7 === 0 ? 'person' : 'machine',
  event: { type: index % 7 === 0 ? 'message.received' : 'state.entered', state: `state-${index}` },
}));

/** Only the visible events are rendered. */
export const ATimelineOfFiveThousandEvents: StoryObj = {
  render: () => <Timeline events={thousands} />,
  // Checking every element takes too long. The other stories have the same elements.
  parameters: { a11y: { test: 'off' } },
};

export const WhatWasCollected: StoryObj = {
  render: () => (
    <Deliverables
      items={[
        { key: 'customer_name', value: 'Ada', state: 'intake' },
        { key: 'device', value: 'a lamp', unconfirmed: true },
        { key: 'account_number', required: true, description: 'On the back of the card' },
        { key: 'remarks' },
      ]}
    />
  ),
};
