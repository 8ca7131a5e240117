import type { Meta, StoryObj } from '@storybook/react-vite';
import { expect, userEvent, waitFor, within } from 'storybook/test';
import { customerIntake, customerIntakeTests } from '../definitions/customer-intake.ts';
import { isInTest } from '../is-in-test.ts';
import { Playground } from '../playground/playground.tsx';
import { Workbench } from '../bench/workbench.tsx';
import { workbenchMeta } from './fixture-story.ts';
import { pageTimeout, writeDefinition } from './play.ts';

const { text, fileName } = customerIntake;
const { text: tests, fileName: testFile } = customerIntakeTests;

const meta = {
  title: 'Coverage',
  component: Workbench,
  ...workbenchMeta,
} satisfies Meta<typeof Workbench>;

export default meta;
type Story = StoryObj<typeof Workbench>;

/** The tests of a definition run in the page. **Coverage** draws what they reach, and lists what they do not. */
export const TestsOfADefinition: Story = {
  args: { text, fileName, format: 'plan', tests: customerIntakeTests },
  play: async ({ canvasElement }) => {
    if (!isInTest) return;
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    const button = canvas.getByRole('button', { name: 'Coverage' });
    await userEvent.click(button);
    await canvas.findByText(
      /^\d+ tests of customer-intake.test.yaml: all pass\.$/,
      {},
      pageTimeout,
    );
    const counts = await canvas.findByText(/^\d+ of \d+ states, \d+ of \d+ transitions/);
    const [, hit, total] = /(\d+) of (\d+) transitions/.exec(counts.textContent)!;
    await waitFor(
      () => expect(canvasElement.querySelector('.dg-arrow[data-coverage]')).not.toBeNull(),
      pageTimeout,
    );
    const missing = within(canvas.getByRole('region', { name: 'Transitions' }));
    const rows = missing.getAllByRole('button');
    await expect(rows).toHaveLength(Number(total) - Number(hit));

    await userEvent.click(rows[0]!);
    await expect(rows[0]).toHaveAttribute('aria-pressed', 'true');
    await waitFor(
      () =>
        expect(
          canvasElement.querySelector('[data-highlighted] [data-coverage="uncovered"]'),
        ).not.toBeNull(),
      pageTimeout,
    );
    await waitFor(
      () => expect(canvasElement.querySelector('.cm-selectionBackground')).toBeVisible(),
      pageTimeout,
    );

    await userEvent.click(button);
    await waitFor(() => expect(canvasElement.querySelector('.dg-arrow[data-coverage]')).toBeNull());
  },
};

/** Test: the tests run again after a change of the definition, and say what no longer holds. */
export const ATestThatFails: Story = {
  tags: ['!dev', '!autodocs'],
  args: TestsOfADefinition.args!,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    await userEvent.click(canvas.getByRole('button', { name: 'Coverage' }));
    await canvas.findByText(/: all pass\.$/, {}, pageTimeout);
    await writeDefinition(canvasElement, text.replaceAll('"billing"', '"bills"'));
    await canvas.findByText(/: \d+ fails?\.$/, {}, pageTimeout);
    const failed = await canvas.findByRole('list', { name: 'Failed tests' });
    await expect(failed).toHaveTextContent(/\(line \d+\): /);
  },
};

const report = JSON.stringify({
  files: [],
  coverage: [{ definition: 'order.asl.json', percent: 0, units: [] }],
  passed: 0,
  failed: 0,
});

const open = async (canvasElement: HTMLElement, label: string, content: string, name: string) =>
  userEvent.upload(
    within(canvasElement).getByLabelText(label),
    new File([content], name, { type: 'text/plain' }),
  );

/** Test: files that are not definitions are opened as tests. A file without coverage shows one sentence. */
export const OpenedInThePlayground: StoryObj<typeof Playground> = {
  tags: ['!dev', '!autodocs'],
  render: () => <Playground start={{ text, fileName }} speed={0} />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await canvas.findByText(/^Conversation plan, valid/, {}, pageTimeout);
    await open(canvasElement, 'Open a file', tests, testFile);
    await canvas.findByText(/: all pass\.$/, {}, pageTimeout);
    await canvas.findByText(/^Conversation plan, valid/);

    const label = 'Open tests or a report';
    await open(canvasElement, label, report, 'coverage.json');
    await canvas.findByText(
      'coverage.json has the coverage of order.asl.json, not of this definition.',
      {},
      pageTimeout,
    );
    await open(canvasElement, label, 'TN:\nSF:a\n', 'lcov.info');
    await canvas.findByText(/^lcov.info is an lcov file/, {}, pageTimeout);
    await open(canvasElement, label, 'tests: []', 'order.test.yaml');
    await canvas.findByText(/^order\.test\.yaml:1:8 /, {}, pageTimeout);
    await open(canvasElement, label, tests, 'order.test.yaml');
    await canvas.findByText(
      /^order.test.yaml tests order, not customer-intake.plan.json\.$/,
      {},
      pageTimeout,
    );
  },
};
