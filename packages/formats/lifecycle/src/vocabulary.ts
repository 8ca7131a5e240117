/** The words of a table's columns `guard` and `actions`. What each means: docs/formats/lifecycle.md#guards and #actions */

export const guardWords = [
  'queued',
  'current_turn',
  'open_turn',
  'sound_reply',
  'sound_delay',
  'known_todo',
  'end_was_asked',
  'help_was_asked',
  'messages_wait',
  'something_was_sent',
  'contact_begins',
  'nobody_was_addressed',
  'contact_is_to_begin',
  'failed_for_good',
  'failures_used_up',
  'new_message',
  'sound_message',
  'no_turn',
  'unattended_messages',
  'unanswered_messages',
  'follow_up_is_out',
  'follow_ups_used_up',
] as const;
export type GuardWord = (typeof guardWords)[number];

/** The guards that hold whenever a guard holds. */
export const impliedGuards: Readonly<Partial<Record<GuardWord, readonly GuardWord[]>>> = {
  open_turn: ['current_turn'],
  sound_reply: ['current_turn', 'open_turn'],
  sound_delay: ['current_turn', 'open_turn'],
  known_todo: ['current_turn', 'open_turn'],
  end_was_asked: ['current_turn'],
  help_was_asked: ['current_turn'],
  messages_wait: ['current_turn', 'unanswered_messages'],
  something_was_sent: ['current_turn'],
  contact_begins: ['current_turn'],
  failed_for_good: ['current_turn'],
  failures_used_up: ['current_turn'],
  new_message: ['sound_message'],
  unattended_messages: ['no_turn', 'unanswered_messages'],
  follow_up_is_out: ['no_turn'],
  follow_ups_used_up: ['no_turn'],
};

/** The effects of words in the policy `words`. */
export const wordMeanings = ['stop', 'start', 'person', 'restart', 'help'] as const;

/** The argument of an action: none, an optional string, optional kinds of turns, or the name of an event. */
export type Argument = 'none' | 'reason' | 'event' | 'turn';

export const actionWords = {
  record_message: 'none',
  record_manual: 'none',
  send_message: 'none',
  send_manually: 'none',
  clear_inbox: 'none',
  call_agent: 'none',
  start_turn: 'turn',
  extend_turn: 'none',
  close_turn: 'none',
  fail_turn: 'none',
  let_contact_begin: 'none',
  ask_end: 'none',
  ask_help: 'none',
  record_end: 'reason',
  record_help: 'reason',
  record_failure: 'reason',
  reset_follow_ups: 'none',
  count_follow_up: 'none',
  override_heartbeat: 'none',
  recover_timer: 'none',
  mark_todo: 'none',
  emit: 'event',
} as const satisfies Record<string, Argument>;
export type ActionWord = keyof typeof actionWords;

/** The name that the behaviour has for a word of the table: `startTurn` for `start_turn`. */
export type BehaviourName<Word extends string> = Word extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<BehaviourName<Rest>>}`
  : Word;

export function behaviourName<Word extends string>(word: Word): BehaviourName<Word> {
  const name = word.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return name as BehaviourName<Word>;
}

export function isGuardWord(word: string): word is GuardWord {
  return guardWords.some((known) => known === word);
}

export function isActionWord(word: string): word is ActionWord {
  return Object.hasOwn(actionWords, word);
}

/** Why a turn of the agent runs. Spec: docs/formats/lifecycle.md#turns */
export const turnKinds = ['first', 'reply', 'follow_up', 'resumed'] as const;
export type TurnKind = (typeof turnKinds)[number];

/** The kind of state that a word means; some tables use words of their own. */
export const kindWords = {
  initial: 'initial',
  normal: 'normal',
  working: 'working',
  operational: 'working',
  waiting: 'waiting',
  suspended: 'suspended',
  interrupted: 'suspended',
  terminal: 'terminal',
  final: 'terminal',
} as const;
export type Kind = (typeof kindWords)[keyof typeof kindWords];

export function kindOf(word: string): Kind | undefined {
  return Object.hasOwn(kindWords, word) ? kindWords[word as keyof typeof kindWords] : undefined;
}
