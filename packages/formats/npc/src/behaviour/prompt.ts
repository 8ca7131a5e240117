import type { JsonObject, PortInput, PromptSection } from '@dramaturg/compiler';
import { localTime } from '@dramaturg/compiler/text';
import {
  announcements,
  callInput,
  callKey,
  constant,
  data,
  fillPlaceholders,
  foldSections,
  objectSchema,
  type OptionalSection,
  present,
  quotedIn,
  replyInput,
  section,
  statesOutline,
  summarySection,
} from '@dramaturg/conversation';
import { type NpcContext, own } from '../context.ts';
import { followUp, verdicts } from '../definition.ts';
import {
  currentScenario,
  currentState,
  type NpcScope,
  personaMeta,
  stateMeta,
  type StateMeta,
  statesOf,
  type TimedPlace,
} from './meta.ts';
import { inSession } from './turn.ts';
import { isProbed, mayProbe, offers, optionsOf } from './verdict.ts';

/**
 * Prompts, and the inputs of the ports that get them: pure functions of the context and the texts of the chart, from the general to the specific, so that the
 * most specific part comes last. Text from people is marked as data. Spec: docs/formats/npc.md#prompts
 */

/** The prompt of a reply. It leaves out the objective, which would be the answer key for the NPC's voice. */
export function replyPrompt(scope: TimedPlace): PromptSection[] {
  const { directive, outcome, memory } = scope.context;
  const { title, prompt_instruction } = voicedBy(scope);
  // The author's words about the state, unless the purpose of the line already contains them.
  const ownWords = directive === 'probe' ? prompt_instruction : undefined;
  return present([
    constant(instruction(scope, 'Conversation', currentScenario(scope).chat_system_prompt)),
    persona(scope),
    instruction(scope, 'State', title, ownWords),
    instruction(scope, 'This turn', directiveOf(scope), outcome === null ? '' : endings[outcome]),
    aboutPlayer(scope),
    constant(data('Known from before', [memory])),
    summarySection(scope.context),
  ]);
}

/** The prompt of the evaluator. */
export function evaluatePrompt(scope: TimedPlace, attempt: 1 | 2): PromptSection[] {
  const scenario = currentScenario(scope);
  const { creator_win_condition: win, creator_lose_condition: lose } = scenario;
  const { system_evaluation_prompt: howToJudge = "Judge the player's last message." } = scenario;
  const [won, lost] = [win && `Won when: ${win}`, lose && `Lost when: ${lose}`];
  const said = scope.context.thread.map(({ by, text }) => `${by}: ${text}`);
  const states = judgedStates(scope);
  const criteria = states === undefined ? criteriaOf(currentState(scope)) : [];
  return present([
    constant(instruction(scope, 'How to judge', howToJudge)),
    persona(scope),
    constant(instruction(scope, 'Objective', scenario.creator_objective, won, lost)),
    states,
    instruction(scope, 'State', currentState(scope).title, ...criteria),
    instruction(scope, 'Verdicts', ...allowed(scope, attempt)),
    summarySection(scope.context),
    data('In doubt', said),
  ]);
}

/** The prompt of the summariser. */
export function summaryPrompt(scope: TimedPlace): PromptSection[] {
  const { system_summarization_prompt: howTo, summarise_after } = currentScenario(scope);
  return present([
    constant(instruction(scope, 'How to summarise', howTo)),
    persona(scope),
    ...foldSections(scope.context, summarise_after!),
  ]);
}

/** The prompt that extracts the output variables from a completed conversation. */
export function extractPrompt(scope: TimedPlace): PromptSection[] {
  return present([
    instruction(
      scope,
      'What to do',
      'The conversation is over. Answer each question from what was said in it, in a few words.',
      'Leave out what was not said.',
    ),
    persona(scope),
    summarySection(scope.context),
  ]);
}

/** The purpose of the next line, in the author's words. */
function stageDirection(scope: TimedPlace): string {
  const { prompt_instruction, title } = voicedBy(scope);
  const words = fillIn(prompt_instruction ?? title, scope);
  return {
    opening: words,
    arrived: words,
    redirect: `Steer the player back. ${words}`,
    probe: 'Ask one clarifying question.',
    hand_over: announcements.handOver.text,
    close: `Close the conversation. ${words}`,
  }[scope.context.directive];
}

/** The state that voices the line. A terminal state may voice the last line of a conversation that ends in another state. */
function voicedBy({ context, meta }: TimedPlace): StateMeta {
  return stateMeta(meta, context.machine, context.voice);
}

const directives: Readonly<Record<TimedPlace['context']['directive'], string>> = {
  opening: 'You speak first: open the conversation.',
  arrived: 'The conversation has just come to this state: answer the player and lead over to it.',
  redirect: 'Answer the player briefly and steer back to what this state is about.',
  probe:
    'It is not clear yet what the player means. Ask exactly one clarifying question and decide nothing.',
  hand_over: 'A colleague takes over: say so, and ask nothing.',
  close: 'Say the last words of the conversation: it ends with this line.',
};

function directiveOf({ context: { directive, message } }: TimedPlace): string {
  return directive === 'opening' && message !== null
    ? 'The player has spoken first: open the conversation, and answer what they said.'
    : directives[directive];
}

const endings = {
  ACCEPT: 'It has gone well.',
  REJECT: 'It has not gone well.',
  KICK_OUT: 'You break it off because of how the player behaves.',
};

/** The author's words, with their variables filled in; empty parts leave no gap. */
function instruction(
  scope: TimedPlace,
  title: string,
  ...lines: readonly (string | undefined)[]
): OptionalSection {
  const written = section(title, lines);
  return written && { ...written, text: fillIn(written.text, scope) };
}

function persona(scope: TimedPlace): OptionalSection {
  const { name, persona_identity_prompt } = personaMeta(scope.meta);
  const { [1]: afterName = '' } = (persona_identity_prompt ?? '').split(`You are ${name}`, 2);
  // Most authors begin with the name.
  const isNamed = /^[,.;:!? \n]/.test(afterName);
  const named = name && !isNamed ? `You are ${name}.` : undefined;
  return constant(instruction(scope, 'Who you are', named, persona_identity_prompt));
}

function aboutPlayer({ context: { player: known } }: TimedPlace): OptionalSection {
  const lines = [known.name && `Name: ${known.name}`, known.gender && `Gender: ${known.gender}`];
  return constant(data('Player', lines));
}

function allowed(scope: TimedPlace, attempt: 1 | 2): string[] {
  return [
    isProbed(scope) && !mayProbe(scope) ? 'Decide now: another question is not allowed.' : '',
    attempt === 2 ? 'Your last answer was none of the options.' : '',
  ];
}

/**
 * How every state of the scenario is judged. It is the same over a conversation, so that a provider caches it; each call then
 * only names the current state. Undefined for a scenario with too much text: then each call contains the text of its state.
 */
function judgedStates(scope: TimedPlace): OptionalSection {
  const states = statesOf(scope.meta, currentScenario(scope).machine_key);
  const text = fillIn(judged(states.map(judgedState)), scope);
  return statesOutline(text);
}

/** Criteria that are the same in every state are stated once, before the states. */
function judged(states: readonly ReturnType<typeof judgedState>[]): string {
  const [first, ...others] = states;
  const isShared = (line: string) =>
    others.length > 0 && others.every(({ lines }) => lines.includes(line));
  const shared = new Set(first?.lines.filter(isShared));
  const separate = states.map(({ title, lines }) => ({
    title: `## ${title}`,
    lines: lines.filter((line) => !shared.has(line)),
  }));
  const all =
    shared.size > 0 ? [{ title: 'In every state:', lines: [...shared] }, ...separate] : separate;
  return all.map(({ title, lines }) => [title, ...lines].join('\n')).join('\n\n');
}

function judgedState(state: StateMeta) {
  const options = optionsOf(state).map(
    ({ id, description }) => `${JSON.stringify(id)}: ${description}`,
  );
  const said = options.join('\n');
  const criteria = criteriaOf(state).filter(
    (line) => !said.includes(line.slice(line.indexOf(': ') + 2)),
  );
  return { title: state.title, lines: [...criteria, ...options] };
}

/** When a verdict is given, in the author's words. */
function criteriaOf({ evaluation_criteria = {} }: StateMeta): string[] {
  return verdicts.flatMap((verdict) => {
    const criterion = evaluation_criteria[verdict];
    return criterion ? [`${verdict}: ${criterion}`] : [];
  });
}

/** Names that are always known, besides the variables. */
export const builtIn = ['player_name', 'player_gender', 'now'] as const;

/** Values from people, as they are written in an author's text. */
function ofPeople({ player, variables }: NpcContext): string[] {
  const values = [player.name, player.gender, ...Object.values(variables)];
  return values.flatMap((value) => (typeof value === 'string' ? [JSON.stringify(value)] : []));
}

/**
 * Fills the placeholders of an author's text. Values from people are quoted; a placeholder without a value is not replaced. Spec:
 * docs/formats/npc.md#variables
 */
function fillIn(text: string, { context, world }: Pick<NpcScope, 'context' | 'world'>): string {
  const { player, variables } = context;
  const known: Readonly<Record<string, string | undefined>> = {
    player_name: player.name,
    player_gender: player.gender,
  };
  return fillPlaceholders(text, (name) => {
    const value = own(variables, name) ?? own(known, name);
    if (value === undefined && name === 'now')
      return localTime(world.now(), world.timeZone?.() ?? 'UTC');
    return value === undefined ? undefined : JSON.stringify(value);
  });
}

/** The inputs of the ports. An input is created when the call begins and is stored with it. */

function evaluate(scope: NpcScope, { attempt }: { attempt: 1 | 2 }): PortInput<'choose'> {
  const all = offers(scope);
  // The fallback for an undecided message: a follow-up, or without one a redirect.
  const { early } = scope.context;
  const isInDoubt = all.some(({ id }) => id === followUp);
  const fallback = early ? noVerdict.id : isInDoubt ? followUp : 'redirect';
  const asked = {
    prompt: evaluatePrompt(scope, attempt),
    options: [
      ...all.map(({ id, description }) => ({ id, description: fillIn(description, scope) })),
      ...(early ? [noVerdict] : []),
    ],
  };
  return {
    ...call(scope.context, attempt === 1 ? 'evaluate' : 'evaluate-again'),
    ...quotedIn(asked, ofPeople(scope.context)),
    ...asked,
    ...(early || all.some(({ id }) => id === fallback) ? { fallback } : {}),
  };
}

/** For a message that came before the question: it is not judged. */
const noVerdict = { id: 'none', description: 'Anything else: the message is not judged.' };

function reply(scope: NpcScope): PortInput<'reply'> {
  const session = inSession(scope.context);
  const asked = { prompt: replyPrompt(scope), directions: [{ text: stageDirection(scope) }] };
  return {
    ...replyInput(session, callKey(session, 'reply')),
    ...quotedIn(asked, ofPeople(session)),
    ...asked,
    asks: [],
    tools: [],
    ...(session.outcome !== null && { ends: true }),
  };
}

function summarise(scope: NpcScope): PortInput<'think'> {
  const prompt = summaryPrompt(scope);
  const quoted = quotedIn({ prompt }, ofPeople(scope.context));
  return { ...call(scope.context, 'summarise'), ...quoted, prompt };
}

function extract(scope: NpcScope): PortInput<'extract'> {
  const { output_variables } = currentScenario(scope);
  const properties: Record<string, JsonObject> = Object.fromEntries(
    output_variables.map(({ key, extraction_prompt = '' }) => [
      key,
      { type: 'string', description: fillIn(extraction_prompt, scope) },
    ]),
  );
  return {
    ...call(scope.context, 'extract'),
    prompt: extractPrompt(scope),
    schema: objectSchema(properties),
  };
}

function call(context: NpcContext, purpose: string) {
  const session = inSession(context);
  return callInput(session, callKey(session, purpose));
}

export const inputs = { evaluate, reply, summarise, extract };
