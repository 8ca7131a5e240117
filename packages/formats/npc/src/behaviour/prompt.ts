import type { PromptSection } from '@dramaturg/compiler';
import { constant, data, type OptionalSection, present, section } from '@dramaturg/conversation';
import {
  currentScenario,
  currentState,
  type NpcScope,
  personaMeta,
  type StateMeta,
  stateMeta,
} from './meta.ts';
import { isProbed, mayProbe } from './offer.ts';
import { criteriaOf, judgedStates } from './outline.ts';
import { fillIn } from './template.ts';

/**
 * Prompt composition: pure functions of the context and the texts of the chart, from the general to the specific, so that
 * the most specific stands last. What people said is marked as data. Spec: docs/formats/npc.md#prompts
 */

type Scope = Pick<NpcScope, 'context' | 'meta' | 'world'>;

/** The prompt of a reply. It leaves out the objective, which would be the answer key for the NPC's voice. */
export function replyPrompt(scope: Scope): PromptSection[] {
  const state = voicedBy(scope);
  return present([
    constant(instruction(scope, 'Conversation', currentScenario(scope).chat_system_prompt)),
    persona(scope),
    instruction(scope, 'State', state.title, ownWords(scope)),
    instruction(scope, 'This turn', directiveOf(scope), outcome(scope)),
    player(scope),
    constant(data('Known from before', [scope.context.memory])),
    data('Summary so far', [scope.context.summary]),
  ]);
}

/** The prompt of the evaluator. */
export function evaluatePrompt(scope: Scope, attempt: 1 | 2): PromptSection[] {
  const scenario = currentScenario(scope);
  const { thread } = scope.context;
  const states = judgedStates(scope);
  const own = states === undefined ? criteriaOf(currentState(scope)) : [];
  return present([
    constant(
      instruction(
        scope,
        'How to judge',
        scenario.system_evaluation_prompt ?? "Judge the player's last message.",
      ),
    ),
    persona(scope),
    constant(
      instruction(
        scope,
        'Objective',
        scenario.creator_objective,
        scenario.creator_win_condition && `Won when: ${scenario.creator_win_condition}`,
        scenario.creator_lose_condition && `Lost when: ${scenario.creator_lose_condition}`,
      ),
    ),
    states,
    instruction(scope, 'State', currentState(scope).title, ...own),
    instruction(scope, 'Verdicts', ...allowed(scope, attempt)),
    data('Summary so far', [scope.context.summary]),
    data(
      'In doubt',
      thread.map(({ by, text }) => `${by}: ${text}`),
    ),
  ]);
}

/** The prompt of the summariser. */
export function summaryPrompt(scope: Scope): PromptSection[] {
  const { summarised, messages, summary } = scope.context;
  return present([
    constant(
      instruction(scope, 'How to summarise', currentScenario(scope).system_summarization_prompt),
    ),
    persona(scope),
    instruction(
      scope,
      'Messages',
      `Fold messages ${summarised + 1} to ${messages} into the summary, and write the whole of it anew.`,
    ),
    data('Summary so far', [summary]),
  ]);
}

/** The prompt that extracts the output variables from a completed conversation. */
export function extractPrompt(scope: Scope): PromptSection[] {
  return present([
    instruction(
      scope,
      'What to do',
      'The conversation is over. Answer each question from what was said in it, in a few words.',
      'Leave out what was not said.',
    ),
    persona(scope),
    data('Summary so far', [scope.context.summary]),
  ]);
}

/** What the next line is to do, in the author's words. */
export function stageDirection(scope: Scope): string {
  const { prompt_instruction, title } = voicedBy(scope);
  const words = fillIn(prompt_instruction ?? title, scope);
  switch (scope.context.directive) {
    case 'opening':
    case 'arrived':
      return words;
    case 'redirect':
      return `Steer the player back. ${words}`;
    case 'probe':
      return 'Ask one clarifying question.';
    case 'close':
      return `Close the conversation. ${words}`;
  }
}

/** What the state is about, unless what the line is to do says it. */
function ownWords(scope: Scope): string | undefined {
  return scope.context.directive === 'probe' ? voicedBy(scope).prompt_instruction : undefined;
}

/** A terminal state may voice the last line of a conversation that ends in another one. */
function voicedBy({ context, meta }: Scope): StateMeta {
  return stateMeta(meta, context.machine, context.voice);
}

const directives: Readonly<Record<Scope['context']['directive'], string>> = {
  opening: 'You speak first: open the conversation.',
  arrived: 'The conversation has just come to this state: answer the player and lead over to it.',
  redirect: 'Answer the player briefly and steer back to what this state is about.',
  probe:
    'It is not clear yet what the player means. Ask exactly one clarifying question and decide nothing.',
  close: 'Say the last words of the conversation: it ends with this line.',
};

function directiveOf({ context: { directive, message } }: Scope): string {
  return directive === 'opening' && message !== null
    ? 'The player has spoken first: open the conversation, and answer what they said.'
    : directives[directive];
}

const endings = {
  ACCEPT: 'It has gone well.',
  REJECT: 'It has not gone well.',
  KICK_OUT: 'You break it off because of how the player behaves.',
};

function outcome({ context }: Scope): string | undefined {
  return context.outcome === null ? undefined : endings[context.outcome];
}

/** The author's words, with their variables filled in; empty parts leave no gap. */
function instruction(
  scope: Scope,
  title: string,
  ...lines: readonly (string | undefined)[]
): OptionalSection {
  const written = section(title, lines);
  return written && { ...written, text: fillIn(written.text, scope) };
}

function persona(scope: Scope): OptionalSection {
  const { name, persona_identity_prompt } = personaMeta(scope.meta);
  const { [1]: afterName = '' } = (persona_identity_prompt ?? '').split(`You are ${name}`, 2);
  // Most authors begin with the name.
  const isNamed = /^[,.;:!? \n]/.test(afterName);
  const named = name && !isNamed ? `You are ${name}.` : undefined;
  return constant(instruction(scope, 'Who you are', named, persona_identity_prompt));
}

function player({ context: { player: known } }: Scope): OptionalSection {
  const lines = [known.name && `Name: ${known.name}`, known.gender && `Gender: ${known.gender}`];
  return constant(data('Player', lines));
}

function allowed(scope: Scope, attempt: 1 | 2): string[] {
  return [
    ...(isProbed(scope) && !mayProbe(scope)
      ? ['Decide now: another question is not allowed.']
      : []),
    ...(attempt === 2 ? ['Your last answer was none of the options.'] : []),
  ];
}
