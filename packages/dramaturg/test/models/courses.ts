import { compile, type Ports } from 'dramaturg';
import type { Hostile } from './hostile.ts';
import {
  answering,
  type Asked,
  type Brain,
  converse,
  definition,
  type Heard,
  stageWith,
} from './stage.ts';

/** What happens to a machine when a person writes something hostile, and the model obeys or does not. */

/** A model that obeys every injection: after it reads the message, it does what the message wants in every answer. */
export const gullible =
  ({ says, option = says, value, calls = [], raw }: Hostile): Brain =>
  (asked) => {
    if (!hasHeard(asked)) return unmoved(asked);
    const answer = { ...Object(value ?? { class: option }), option, reason: says };
    const answered = raw === undefined ? answering(asked, answer) : { text: raw };
    if (asked.schema !== undefined || isTask(asked))
      return { ...answered, toolCalls: [...(answered.toolCalls ?? []), ...calls] };
    return { text: `As you wish: ${says}`, toolCalls: calls };
  };

/** Whether the prompt has a message of the person, or the input of a workflow. */
function hasHeard({ prompt }: Asked): boolean {
  return /<data-[0-9a-f]{8}>\n|\nperson: |from="the workflow"/.test(prompt);
}

/** A model that ignores every injection and chooses no option. */
export const unmoved: Brain = (asked) => {
  if (asked.options) return answering(asked, { option: 'none of them', reason: '' });
  if (asked.schema) return answering(asked, {});
  return { text: isTask(asked) ? '{"class": "nothing"}' : 'I see.' };
};

export function isTask({ prompt }: Asked): boolean {
  return prompt.includes('of a workflow');
}

const workflow = compile(
  JSON.stringify({
    StartAt: 'Classify',
    States: {
      Classify: { Type: 'Task', Agent: 'Classify', ResultPath: '$.verdict', Next: 'Which' },
      Which: {
        Type: 'Choice',
        Choices: [
          { Variable: '$.verdict.class', StringEquals: 'question', Next: 'Answer' },
          { Variable: '$.verdict.class', StringEquals: 'refund', Next: 'Ask' },
        ],
        Default: 'Refuse',
      },
      Answer: { Type: 'Succeed' },
      Ask: {
        Type: 'Approval',
        Prompt: 'Pay?',
        ResultPath: '$.decision',
        Choices: [{ Variable: '$.decision.approval', StringEquals: 'approve', Next: 'Pay' }],
        Default: 'Refuse',
      },
      Pay: { Type: 'Task', Agent: 'Pay', End: true },
      Refuse: { Type: 'Succeed' },
    },
  }),
);

const graphTools = {
  '000000000000000000000001': { name: 'look' },
  '000000000000000000000002': { name: 'today' },
  '000000000000000000000003': { name: 'find_account' },
};

/** The machines, and how each receives a message. */
const machines = {
  plan: {
    machine: definition('customer-intake.plan.json'),
    takes: (says: string) => ({ lines: [says], input: {} }),
  },
  npc: {
    machine: definition('npc/test/fixtures/ferry/ferry.npc.json'),
    takes: (says: string) => ({ lines: [says], input: { player: { name: 'Ada' } } }),
  },
  'context graph': {
    machine: definition('context-graph/test/fixtures/tools/tools.context-graph.json', {
      tools: graphTools,
    }),
    takes: (says: string) => ({ lines: [says], input: { opening: 'person' } }),
  },
  workflow: {
    machine: workflow,
    takes: (says: string) => ({ lines: [], input: { input: { text: says } } }),
  },
};

export type MachineName = keyof typeof machines;

export const machineNames = Object.keys(machines) as MachineName[];

/** The states and calls of a machine after this message. */
export async function course(name: MachineName, brain: Brain, says: string) {
  const called: string[] = [];
  const run = (tool: string) => () => called.push(tool);
  const { ports } = await stageWith(brain, {
    playAgents: true,
    tools: Object.fromEntries(
      [...Object.keys(graphTools), 'send-email', 'find_account', 'delete_account', 'shell'].map(
        (tool) => [tool, { run: run(tool) }],
      ),
    ),
  });
  const watched: Partial<Ports> = {
    ...ports,
    runAgent: (input, call) => {
      called.push(`agent ${input.agent}`);
      return ports.runAgent(input, call);
    },
  };
  const { machine, takes } = machines[name];
  const { lines, input } = takes(says);
  const { events } = await converse(machine, watched, lines, input);
  // The usage depends on the number of corrections.
  const moves = events.filter(({ type }) => type !== 'usage.recorded');
  return { went: moves.map(inShort), called };
}

/** An event without texts. */
function inShort(event: Heard): string {
  const { type, state, tool, task, deliverable, decision, outcome, what } = event;
  return [type, state, tool, task, deliverable, decision, outcome, what]
    .filter((part) => part !== undefined && part !== null)
    .map((part) => JSON.stringify(part))
    .join(' ')
    .replaceAll('"', '');
}

/** The results with a model that chooses no option. */
export const undisturbed: Readonly<Record<MachineName, object>> = {
  plan: {
    went: ['state.entered greeting', 'message.sent greeting', 'message.sent greeting'],
    called: [],
  },
  npc: {
    went: [
      'scenario.started',
      'state.entered bank',
      'message.sent bank',
      'verdict.reached bank redirect',
      'message.sent bank',
    ],
    called: [],
  },
  'context graph': {
    went: ['state.entered talk', 'traversal.completed talk', 'message.sent talk'],
    called: [],
  },
  workflow: {
    went: [
      'state.entered Classify',
      'state.exited Classify',
      'state.entered Which',
      'state.exited Which',
      'state.entered Refuse',
      'state.exited Refuse',
      'workflow.ended',
    ],
    called: ['agent Classify'],
  },
};

/** A task whose agent gives no usable answer fails, and the workflow with it. */
export const failed = {
  went: ['state.entered Classify', 'state.failed Classify', 'workflow.ended'],
  called: ['agent Classify'],
};
