import type { PromptSection } from '@dramaturg/compiler';
import {
  constant,
  data,
  fillPlaceholders,
  type OptionalSection,
  present,
  section,
} from '@dramaturg/conversation';
import { type DeliverableRecord, own } from '../context.ts';
import { end } from '../definition.ts';
import {
  currentState,
  isCollected,
  planMeta,
  type PlanScope,
  type TaskMeta,
  taskStatus,
} from './meta.ts';
import { progressOf } from './progress.ts';
import { asks, openTasks, waiting } from './questions.ts';

/** Prompt composition: pure functions of the context and the texts of the chart. Spec: docs/formats/plan.md#prompts */

type Scope = Pick<PlanScope, 'context' | 'meta'>;

/** The prompt of a reply. Texts of authors are instructions; texts of people are marked as data. */
export function replyPrompt(scope: Scope): PromptSection[] {
  return present([
    role(scope),
    language(scope),
    session(scope),
    where(scope),
    manner(scope),
    taskList(scope),
    collected(scope),
    movedOn(scope),
    notRecorded(scope),
    steering(scope),
  ]);
}

/** The prompt of an extraction. */
export function extractPrompt(scope: Scope): PromptSection[] {
  return present([
    constant(
      section('What to do', [
        'Record what the person has clearly said, and nothing else: no greetings, no guesses, nothing you said yourself.',
        'Leave out what they did not say. Copy names and numbers as they are.',
        'What they say about later questions is recorded too: it is kept until its turn.',
        'A value that is collected is recorded again only when the person corrects or confirms it.',
      ]),
    ),
    language(scope),
    where(scope),
    section('Manner', [
      currentState(scope).type === 'strict'
        ? 'What the message says is first of all about the task in hand.'
        : undefined,
    ]),
    taskList(scope),
    collected(scope),
  ]);
}

function role(scope: Scope): OptionalSection {
  const { system_prompt: template, title, description } = planMeta(scope.meta);
  if (!template)
    return constant(
      section('Role', [
        `You hold the conversation "${title}".${description ? ` ${description}` : ''}`,
      ]),
    );
  const filled = section('Role', [fillTemplate(template, scope)]);
  const isConstant = !mentionsProgress(template, scope);
  return isConstant ? constant(filled) : filled;
}

function language({ meta }: Scope): OptionalSection {
  const { language: code } = planMeta(meta);
  return constant(section('Language', [code && `Speak ${code}.`]));
}

function session({ context, meta }: Scope): OptionalSection {
  const labels = new Map(planMeta(meta).session_context?.map(({ id, label }) => [id, label]));
  const lines = Object.entries(context.session).map(
    ([id, value]) => `${labels.get(id) ?? id}: ${JSON.stringify(value)}`,
  );
  return constant(data('Known before the conversation', lines));
}

function where(scope: Scope): OptionalSection {
  if (scope.context.state === end)
    return { title: 'Where we are', text: 'The conversation is over.' };
  const { title, description, type, goal } = currentState(scope);
  const lines = [title, description];
  if (type === 'goal' && goal) {
    lines.push(
      goal.objective && `Goal: ${goal.objective}`,
      goal.context,
      goal.depth_guidance && `How deep to go: ${goal.depth_guidance}`,
      goal.boundaries && `Boundaries: ${goal.boundaries}`,
      goal.success_description && `Reached when: ${goal.success_description}`,
    );
  }
  return section('Where we are', lines);
}

const manners = {
  strict:
    'Work on one task at a time, in the given order. Acknowledge what is said about later ones, and stay with the current one.',
  loose: 'Take the tasks in whatever order the conversation offers; what is required comes first.',
  goal: 'Work towards the goal in your own way. Note what you learn.',
};

function manner(scope: Scope): OptionalSection {
  return scope.context.state === end
    ? undefined
    : { title: 'Manner', text: manners[currentState(scope).type] };
}

function taskList(scope: Scope): OptionalSection {
  const { context } = scope;
  const state = currentState(scope);
  const open = openTasks(scope);
  const next = state.type === 'strict' ? nextTask(scope, open[0]) : undefined;
  const lines = [
    ...open.map((task) => taskLines(scope, task)),
    ...(next ? [`Coming next: ${next.description}`] : []),
  ];
  const done = state.tasks.filter(({ id }) => taskStatus(context, state.id, id) !== undefined);
  if (done.length > 0) lines.push(`Done: ${done.map(({ description }) => description).join('; ')}`);
  return section('Tasks', lines);
}

function nextTask(scope: Scope, current: TaskMeta | undefined): TaskMeta | undefined {
  const { tasks } = currentState(scope);
  return current && tasks[tasks.indexOf(current) + 1];
}

function taskLines({ context }: Scope, task: TaskMeta): string {
  const wanted = task.deliverables
    .filter(({ key }) => !isCollected(context, key))
    .map(({ key, description, type, required, enum_values }) => {
      const options = type === 'enum' ? `: ${enum_values.join(' | ')}` : '';
      return `  - ${key} (${type}${options}${required ? '' : ', optional'})${description ? ` ${description}` : ''}`;
    });
  const head = `- ${task.description} [${task.id}]${task.required ? '' : ' (optional)'}`;
  return [head, ...(task.instruction ? [`  ${task.instruction}`] : []), ...wanted].join('\n');
}

function collected(scope: Scope): OptionalSection {
  const { deliverables } = scope.context;
  const toConfirm = asks(scope).flatMap(({ name, unconfirmed }) =>
    unconfirmed === undefined ? [] : [name],
  );
  const mark = (key: string, record: DeliverableRecord) => {
    if (toConfirm.includes(key) || record.unconfirmed) return ' (to be confirmed)';
    if (record.discovered) return ' (insight)';
    return record.volunteered ? ' (said earlier)' : '';
  };
  return data('Collected', [
    ...Object.entries(deliverables).map(
      ([key, record]) => `${key}: ${JSON.stringify(record.value)}${mark(key, record)}`,
    ),
    ...waiting(scope).map(
      ([key, record]) =>
        `${key}: ${JSON.stringify(record.value)}${mark(key, record) || ' (said already, for later)'}`,
    ),
  ]);
}

/** Told once: a reply composed for the old state would go on asking for what is no longer wanted. */
function movedOn({ context }: Scope): OptionalSection {
  return context.cameFrom === null || context.cameFrom === context.state
    ? undefined
    : {
        title: 'The conversation has moved on',
        text: 'Lead over to the present part; ask no more about the previous one.',
      };
}

function notRecorded({ context }: Scope): OptionalSection {
  return data(
    'Not recorded',
    context.refused.map(({ because }) => because),
  );
}

function steering(scope: Scope): OptionalSection {
  const [first] = asks(scope);
  const { idleTurns } = scope.context.visit;
  if (!first) return undefined;
  const lines = [
    first.unconfirmed === undefined
      ? `Next, find out: ${first.question}`
      : `Next, have them confirm what they have said already about: ${first.question}`,
  ];
  if (idleTurns >= 2)
    lines.push(
      'The last messages brought nothing new: ask in another way, or leave it out if that is allowed.',
    );
  return { title: 'Next', text: lines.join('\n') };
}

/**
 * Fills `{{...}}` in an author's prompt. What came from people is put in as quoted data. An unknown name stays as it is.
 */
function fillTemplate(template: string, scope: Scope): string {
  const values = { ...ofPlan(scope), ...ofProgress(scope) };
  return fillPlaceholders(template, (name) => own(values, name)?.());
}

/** Whether a prompt has placeholders whose values change over the conversation. */
function mentionsProgress(template: string, scope: Scope): boolean {
  const values = ofProgress(scope);
  return fillPlaceholders(template, (name) => own(values, name) && '') !== template;
}

type Values = Readonly<Record<string, () => string>>;

function ofPlan({ meta }: Scope): Values {
  return {
    plan: () => planMeta(meta).title,
    language: () => planMeta(meta).language ?? 'auto',
  };
}

function ofProgress(scope: Scope): Values {
  const { context } = scope;
  const state = currentState(scope);
  return {
    current_state: () => state.title,
    current_focus: () => openTasks(scope)[0]?.description ?? state.title,
    processing_mode: () => state.type,
    pending_deliverables: () =>
      asks(scope)
        .map(({ name }) => name)
        .join(', ') || 'none',
    collected_deliverables: () =>
      JSON.stringify(
        Object.fromEntries(
          Object.entries(context.deliverables).map(([key, { value }]) => [key, value]),
        ),
      ),
    turns_without_progress: () => String(context.visit.idleTurns),
    progress_percentage: () => String(progressOf(scope)),
    user_message: () => JSON.stringify(context.message ?? ''),
  };
}
