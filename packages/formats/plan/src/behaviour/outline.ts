import {
  constant,
  longestOutline,
  once,
  type OptionalSection,
  section,
} from '@dramaturg/conversation';
import type { Deliverable } from '../definition.ts';
import { hasLimits, whatItIs } from '../value.ts';
import { wholeSchema } from './extraction.ts';
import { isOfPerson, type PlanScope, type StateMeta, statesOf } from './meta.ts';
import { taskTool, taskTools } from './questions.ts';

/**
 * The part of the prompt about the whole plan. It is the same over a conversation, so that providers cache it. Each call then
 * only names the current state and tasks. Spec: docs/formats/plan.md#prompts
 *
 * Undefined for a plan that is too long: then each call contains the texts of its state. */
export const outlineOf = once((meta: PlanScope['meta']) => {
  const states = statesOf(meta);
  if (isLong(states)) return undefined;
  const outline = {
    states: constant(statesSection(states)),
    schema: wholeSchema(states),
    tools: Object.entries(taskTools).map(([name, description]) => taskTool(name, description)),
  };
  return JSON.stringify(outline).length > longestOutline ? undefined : outline;
});

/** Stops early: a plan may have thousands of states. */
function isLong(states: readonly StateMeta[]): boolean {
  let length = 0;
  return states.some((state) => (length += stateLines(state).join('').length) > longestOutline);
}

function statesSection(states: readonly StateMeta[]): OptionalSection {
  const kinds = [...new Set(states.map(({ type }) => type))];
  return section('The parts of the conversation', [
    'Each part has its tasks. Which part you are in is said at the end: stay in it.',
    ...kinds.map((kind) => `Manner "${kind}": ${manners[kind]}`),
    ...states.map((state) => `\n${stateLines(state).join('\n')}`),
  ]);
}

export const manners: Readonly<Record<StateMeta['type'], string>> = {
  strict:
    'Work on one task at a time, in the given order. Acknowledge what is said about later ones, and stay with the current one.',
  loose: 'Take the tasks in whatever order the conversation offers; what is required comes first.',
  goal: 'Work towards the goal in your own way. Note what you learn.',
};

function stateLines(state: StateMeta): string[] {
  const { id, title, type, goal, tasks } = state;
  const ofGoal = type === 'goal' ? (goal?.deliverables ?? []) : [];
  return [
    `## ${title} [${id}], manner "${type}"`,
    ...stateText(state),
    ...ofGoal.map((deliverable) => wantedLine(deliverable)),
    ...tasks.map((task) => taskLines(task, task.deliverables)),
  ];
}

/** The author's words about a state. */
export function stateText({ description, type, goal }: StateMeta): string[] {
  const ofGoal =
    type === 'goal' && goal
      ? [
          goal.objective && `Goal: ${goal.objective}`,
          goal.context,
          goal.depth_guidance && `How deep to go: ${goal.depth_guidance}`,
          goal.boundaries && `Boundaries: ${goal.boundaries}`,
          goal.success_description && `Reached when: ${goal.success_description}`,
        ]
      : [];
  return [description, ...ofGoal].filter((line) => line !== undefined && line !== '') as string[];
}

/** A task with the values that it wants. */
export function taskLines(
  { id, description, instruction, required }: StateMeta['tasks'][number],
  wanted: readonly Deliverable[],
): string {
  const head = `- ${description} [${id}]${required ? '' : ' (optional)'}`;
  return [
    head,
    ...(instruction ? [`  ${instruction}`] : []),
    ...wanted.filter(isOfPerson).map(wantedLine),
  ].join('\n');
}

function wantedLine(deliverable: Deliverable): string {
  const { key, description, type, required, enum_values } = deliverable;
  const options = type === 'enum' ? `: ${enum_values.join(' | ')}` : '';
  const what = hasLimits(deliverable) ? whatItIs(deliverable) : type;
  return `  - ${key} (${what}${options}${required ? '' : ', optional'})${description ? ` ${description}` : ''}`;
}
