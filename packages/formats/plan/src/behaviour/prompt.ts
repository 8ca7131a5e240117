import type { NextReply, PortInput, PromptSection } from '@dramaturg/compiler';
import { localTime } from '@dramaturg/compiler/text';
import {
  callInput,
  callKey,
  constant,
  data,
  fillPlaceholders,
  longestOutline,
  newSections,
  once,
  type OptionalSection,
  present,
  progress,
  quotedIn,
  replyInput,
  section,
  summaryBehaviour,
  summarySection,
} from '@dramaturg/conversation';
import {
  collected as valuesIn,
  type DeliverableRecord,
  own,
  type PlanContext,
} from '../context.ts';
import { requiredKeys } from '../plan-graph.ts';
import { type Deliverable, end } from '../definition.ts';
import { hasLimits, whatItIs } from '../value.ts';
import {
  askedQuestion,
  asks,
  directions,
  extractionSchema,
  knownValues,
  openTasks,
  taskTool,
  taskTools,
  tools,
  upcomingAsks,
  waiting,
  wholeSchema,
} from './questions.ts';
import {
  currentState,
  isCollected,
  isComplete,
  isOfPerson,
  type Place,
  planMeta,
  type PlanScope,
  type StateMeta,
  statesOf,
  type TaskMeta,
  taskStatus,
  type TimedPlace,
} from './state.ts';
import { entered } from './visit.ts';

/** Prompts, and the inputs of the ports that get them: pure functions of the context and the texts of the chart. Spec: docs/formats/plan.md#prompts */

/** The prompt of a reply. Texts of authors are instructions; texts of people are marked as data. */
function replyPrompt(scope: TimedPlace): PromptSection[] {
  return present([
    role(scope),
    language(scope),
    session(scope),
    outlineOf(scope.meta)?.states,
    summarySection(scope.context),
    where(scope),
    manner(scope),
    progress(taskList(scope)),
    progress(collected(scope)),
    movedOn(scope),
    ...refusals(scope),
    // Omits what to find out: the questions of the reply say it.
    section('Next', [
      asksAnew(scope.context.visit.idleTurns)
        ? 'The last messages brought nothing new: ask in another way, or leave it out if that is allowed.'
        : undefined,
    ]),
  ]);
}

/** The prompt of an extraction. */
function extractPrompt(scope: TimedPlace): PromptSection[] {
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
    outlineOf(scope.meta)?.states,
    summarySection(scope.context),
    where(scope),
    section('Manner', [
      currentState(scope).type === 'strict'
        ? 'What the message says is first of all about the task in hand.'
        : undefined,
    ]),
    progress(taskList(scope)),
    progress(collected(scope)),
  ]);
}

function role(scope: TimedPlace): OptionalSection {
  const { system_prompt: template, title, description } = planMeta(scope.meta);
  const usual = `You hold the conversation "${title}".${description ? ` ${description}` : ''}`;
  const filled = section('Role', [template ? fillTemplate(template, scope) : usual]);
  return template && mentionsProgress(template, scope) ? filled : constant(filled);
}

function language({ meta }: TimedPlace): OptionalSection {
  const { language: code } = planMeta(meta);
  return constant(section('Language', [code && `Speak ${code}.`]));
}

function session({ context, meta }: TimedPlace): OptionalSection {
  const labels = new Map(planMeta(meta).session_context?.map(({ id, label }) => [id, label]));
  const lines = Object.entries(context.session).map(
    ([id, value]) => `${labels.get(id) ?? id}: ${JSON.stringify(value)}`,
  );
  return constant(data('Known before the conversation', lines));
}

function where(scope: TimedPlace): OptionalSection {
  if (scope.context.state === end)
    return { title: 'Where we are', text: 'The conversation is over.' };
  const state = currentState(scope);
  return section(
    'Where we are',
    outlineOf(scope.meta) ? [`${state.title} [${state.id}]`] : [state.title, ...stateText(state)],
  );
}

function manner(scope: TimedPlace): OptionalSection {
  const isKnown = scope.context.state === end || outlineOf(scope.meta);
  return section('Manner', [isKnown ? undefined : manners[currentState(scope).type]]);
}

function taskList(scope: TimedPlace): OptionalSection {
  const { context, meta } = scope;
  const state = currentState(scope);
  const open = openTasks(scope);
  const [current] = open;
  const next = state.type === 'strict' && current && state.tasks[state.tasks.indexOf(current) + 1];
  const done = state.tasks.filter(({ id }) => taskStatus(context, state.id, id) !== undefined);
  const isKnown = outlineOf(meta) !== undefined;
  const name = ({ id, description }: TaskMeta) => (isKnown ? `[${id}]` : description);
  const short = (task: TaskMeta) =>
    `- ${name(task)} ${wantedOf(scope, task)
      .map(({ key }) => key)
      .join(', ')}`.trimEnd();
  return section('Tasks', [
    ...open.map((task) => (isKnown ? short(task) : taskLines(task, wantedOf(scope, task)))),
    next ? `Coming next: ${name(next)}` : undefined,
    done.length > 0 ? `Done: ${done.map(name).join(isKnown ? ' ' : '; ')}` : undefined,
  ]);
}

/** The values that a task still waits for. */
function wantedOf({ context }: TimedPlace, task: TaskMeta): TaskMeta['deliverables'] {
  return task.deliverables.filter((each) => isOfPerson(each) && !isCollected(context, each.key));
}

function collected(scope: TimedPlace): OptionalSection {
  const { deliverables } = scope.context;
  const asked = asks(scope).filter(({ unconfirmed }) => unconfirmed !== undefined);
  const toConfirm = asked.map(nameOf);
  const line = (key: string, record: DeliverableRecord, otherwise: string) => {
    const { value, unconfirmed, discovered, volunteered } = record;
    const open = toConfirm.includes(key) || unconfirmed ? ' (to be confirmed)' : '';
    const mark = open || (discovered && ' (insight)') || (volunteered && ' (said earlier)');
    return `${key}: ${JSON.stringify(value)}${mark || otherwise}`;
  };
  return data('Collected', [
    ...Object.entries(deliverables).map(([key, record]) => line(key, record, '')),
    ...waiting(scope).map(([key, record]) => line(key, record, ' (said already, for later)')),
  ]);
}

/** Says that the plan has moved. Sent once: otherwise a reply would continue to ask for values of the old state. */
function movedOn({ context }: TimedPlace): OptionalSection {
  const isMoved = context.cameFrom !== null && context.cameFrom !== context.state;
  return section('The conversation has moved on', [
    isMoved ? 'Lead over to the present part; ask no more about the previous one.' : undefined,
  ]);
}

/** Refused values, and the reasons why agents have not done their tasks. The author's own sentences are said instead. */
function refusals({ context: { refused } }: TimedPlace): OptionalSection[] {
  const values = refused.filter(({ say, isDone }) => !say && isDone !== false);
  const tasks = refused.filter(({ isDone }) => isDone === false);
  return [
    data('Not recorded', values.map(reasonOf)),
    data('Not done', tasks.map(reasonOf)),
    section('Say this first, in these words', [...new Set(refused.map(({ say }) => say))]),
  ];
}

function reasonOf({ because }: PlanContext['refused'][number]): string {
  return because;
}

/** Whether this many messages without anything new are a reason to ask in another way. */
function asksAnew(idleTurns: number): boolean {
  return idleTurns >= 2;
}

/** Fills `{{...}}` in an author's prompt. Values from people are inserted as quoted data. An unknown name is not replaced. */
function fillTemplate(template: string, scope: TimedPlace): string {
  const values = { ...ofPlan(scope), ...ofProgress(scope) };
  return fillPlaceholders(template, (name) => own(values, name)?.());
}

/** Whether a prompt has placeholders whose values change over the conversation. */
function mentionsProgress(template: string, scope: TimedPlace): boolean {
  const values = ofProgress(scope);
  return fillPlaceholders(template, (name) => own(values, name) && '') !== template;
}

/** Values from people, as they are written in an author's prompt. */
function ofPeople(scope: TimedPlace): string[] {
  const values = ofProgress(scope);
  const texts = [values['collected_deliverables']!(), values['user_message']!()];
  return texts.filter((text) => text !== '{}');
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

type Values = Readonly<Record<string, () => string>>;

function ofPlan({ meta }: TimedPlace): Values {
  return {
    plan: () => planMeta(meta).title,
    language: () => planMeta(meta).language ?? 'auto',
  };
}

function ofProgress(scope: TimedPlace): Values {
  const { context, world } = scope;
  const state = currentState(scope);
  return {
    current_state: () => state.title,
    current_focus: () => openTasks(scope)[0]?.description ?? state.title,
    processing_mode: () => state.type,
    pending_deliverables: () => asks(scope).map(nameOf).join(', ') || 'none',
    collected_deliverables: () => JSON.stringify(valuesIn(context)),
    turns_without_progress: () => String(context.visit.idleTurns),
    progress_percentage: () => String(progressOf(scope)),
    now: () => localTime(world.now(), world.timeZone?.() ?? 'UTC'),
    user_message: () => JSON.stringify(context.message ?? ''),
  };
}

/**
 * The progress of the whole plan in percent: the required deliverables of every required task, or the task itself when it
 * has none. Branches that were not taken count too, so a plan can end below 100. Spec: docs/formats/plan.md#progress
 */
function progressOf({ context, meta }: Place): number {
  const parts = statesOf(meta).flatMap(({ id: state, tasks, goal }) => {
    const required = tasks.filter((task) => task.required);
    const all = [...required.map(({ deliverables }) => deliverables), goal?.deliverables ?? []];
    const keys = new Set(all.flatMap(requiredKeys));
    const plain = required.filter(({ deliverables }) => requiredKeys(deliverables).length === 0);
    return [
      ...Array.from(keys, (key) => isCollected(context, key)),
      ...plain.map(({ id }) => taskStatus(context, state, id) === 'completed'),
    ];
  });
  const done = parts.filter(Boolean).length;
  return parts.length === 0 ? 100 : Math.round((done / parts.length) * 100);
}

/** The inputs of the ports. An input is created when the call begins and is stored with it. */

function extract(scope: PlanScope): PortInput<'extract'> {
  const outline = outlineOf(scope.meta);
  const question = askedQuestion(scope);
  const prompt = extractPrompt(scope);
  return {
    ...callInput(scope.context, callKey(scope.context, 'extract')),
    ...quotedIn({ prompt }, ofPeople(scope)),
    prompt,
    schema: extractionSchema(scope),
    ...(outline ? { constantSchema: outline.schema } : {}),
    ...(question ? { asked: question } : {}),
  };
}

function reply(scope: PlanScope): PortInput<'reply'> {
  const outline = outlineOf(scope.meta);
  const prompt = replyPrompt(scope);
  return {
    ...replyInput(scope.context, callKey(scope.context, 'reply')),
    ...quotedIn({ prompt }, ofPeople(scope)),
    prompt,
    asks: scope.context.handOver === undefined ? asks(scope) : [],
    known: knownValues(scope),
    directions: directions(scope),
    tools: tools(scope),
    ...(outline ? { constantTools: outline.tools } : {}),
    ...(endsWithReply(scope) && { ends: true }),
  };
}

/** Whether the conversation is over, or will be once the agent has spoken. */
function endsWithReply(scope: PlanScope): boolean {
  return (
    scope.context.state === end ||
    (currentState(scope).terminal === true && isComplete(scope, true))
  );
}

export const inputs = { extract, reply, ...summaryBehaviour.inputs };

/** How many possible next states are predicted, and how many questions of each. */
const [mostMoves, mostAsks] = [3, 8];

/**
 * Predicts the reply after an extraction: the plan stays in its state, or moves to a state that it may lead to. Spec:
 * docs/formats/plan.md#turn
 */
export function nextReply({ context, meta, world }: TimedPlace): NextReply {
  const foreseen = [...stays(context), ...moves({ context, meta, world })].map(([id, after]) => ({
    id,
    place: { context: after, meta, world },
  }));
  const before = extractPrompt({ context, meta, world }).filter((one) => one.constant);
  const added = (place: TimedPlace) =>
    newSections(replyPrompt(place), before).filter((one) => !one.progress);
  const shared = added(foreseen[0]!.place).filter((one) => one.constant);
  const cases = foreseen.map(({ id, place }) => ({
    id,
    prompt: newSections(added(place), shared),
    asks: upcomingAsks(place, outlineOf(meta) !== undefined).slice(0, mostAsks),
    directions: directions(place),
  }));
  // An extraction records the same tasks as the tools of a reply.
  return { prompt: shared, tools: [], unneeded: Object.keys(taskTools), cases };
}

type Foreseen = [id: string, after: PlanContext];

/** The plan stays in its state: with something to record, or after another message that says nothing new. */
function stays(context: PlanContext): Foreseen[] {
  const { state, visit } = context;
  const idle = visit.idleTurns + 1;
  const after = (idleTurns: number) => ({ ...context, visit: { ...visit, idleTurns } });
  const same: Foreseen[] = asksAnew(idle) ? [[`${state}, nothing new`, after(idle)]] : [];
  return [[state, after(0)], ...same];
}

/** The context after `follow` and `enterState`, for each state that the plan may move to. */
function moves(scope: TimedPlace): Foreseen[] {
  const { context, meta } = scope;
  // Without an outline, models do not know the texts of other states.
  const targets = (outlineOf(meta) && currentState(scope).leads_to) ?? [];
  const cameFrom = context.cameFrom ?? context.state;
  return targets
    .slice(0, mostMoves)
    .map((to) => [to, { ...context, cameFrom, ...entered(scope, to) }]);
}

/**
 * The part of the prompt about the whole plan. It is the same over a conversation, so that providers cache it. Each call then
 * only names the current state and tasks. Spec: docs/formats/plan.md#prompts
 *
 * Undefined for a plan that is too long: then each call contains the texts of its state. */
const outlineOf = once((meta: PlanScope['meta']) => {
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

const manners: Readonly<Record<StateMeta['type'], string>> = {
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
function stateText({ description, type, goal }: StateMeta): string[] {
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
function taskLines(
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
