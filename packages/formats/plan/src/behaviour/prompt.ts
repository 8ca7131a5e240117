import type { NextReply, PortInput, PromptSection } from '@dramaturg/compiler';
import { localTime } from '@dramaturg/compiler/text';
import {
  callInput,
  callKey,
  constant,
  data,
  fillPlaceholders,
  newSections,
  type OptionalSection,
  present,
  progress,
  quotedIn,
  replyInput,
  section,
  summaryBehaviour,
  summarySection,
} from '@dramaturg/conversation';
import { type DeliverableRecord, own, type PlanContext } from '../context.ts';
import { requiredKeys } from '../declarations.ts';
import { end } from '../definition.ts';
import { validate } from './checks.ts';
import { extractionSchema } from './extraction.ts';
import {
  currentState,
  isCollected,
  isOfPerson,
  type Place,
  planMeta,
  type PlanScope,
  statesOf,
  type TaskMeta,
  taskStatus,
  type TimedPlace,
} from './meta.ts';
import { manners, outlineOf, stateText, taskLines } from './outline.ts';
import {
  askedQuestion,
  asks,
  directions,
  known,
  openTasks,
  taskTools,
  tools,
  upcomingAsks,
  waiting,
} from './questions.ts';
import { collected as valuesIn } from './outputs.ts';
import { entered } from './visit.ts';
import { work } from './work.ts';

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
    known: known(scope),
    directions: directions(scope),
    tools: tools(scope),
    ...(outline ? { constantTools: outline.tools } : {}),
    ...((scope.context.state === end || currentState(scope).terminal) && { ends: true }),
  };
}

export const inputs = { extract, reply, validate, work, ...summaryBehaviour.inputs };

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
