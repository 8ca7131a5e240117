import type { ConversationContext, HandledEvent } from './context.ts';

/**
 * A question is answered only by later messages. A message is _early_ if it is older than the open question, or belongs to
 * another one. Facts in an early message count, but a bare yes, no, number or option does not. Spec:
 * docs/events.md#early-messages
 */

/** The question that the flow waits to have answered. */
export interface OpenQuestion {
  /** Stays the same while the same thing is asked. */
  readonly id: string;
  /** Answers of one word. */
  readonly options?: readonly string[];
}

/** Finds the open question; undefined when nothing was asked. */
export type QuestionOf<Scope> = (scope: Scope) => OpenQuestion | undefined;

/** The changes of the context when a message begins a turn. */
export function hear(
  context: ConversationContext,
  event: HandledEvent,
  question: OpenQuestion | undefined,
): Pick<ConversationContext, 'message' | 'turn' | 'messages' | 'early' | 'more'> {
  const early = isEarly(context, event) || undefined;
  const text = event['text'] as string;
  const more = event['more'] === true || undefined;
  return {
    message: (early && tellingLines(text, question)) || text,
    turn: context.turn + 1,
    messages: context.messages + 1,
    ...((early || context.early) && { early }),
    ...((more || context.more) && { more }),
  };
}

/** The question of a reply, for the context. A silent reply asks nothing: its question comes with the next reply. */
export function ask(
  { asked }: Pick<ConversationContext, 'asked'>,
  question: OpenQuestion | undefined,
  silent?: string,
): Pick<ConversationContext, 'asked'> {
  const before = asked?.pending ? asked.before : asked?.now;
  const now = question?.id;
  return {
    asked: {
      ...(before !== undefined && { before }),
      ...(now !== undefined && { now }),
      ...(silent !== undefined && { pending: true }),
    },
  };
}

/** Whether a message is early. A message for the previous question still answers a question that was only repeated. */
function isEarly({ asked }: Pick<ConversationContext, 'asked'>, event: HandledEvent): boolean {
  const given = event['early'];
  // A host counts from the last question that was sent, which is the previous one while a question is pending.
  const early = asked?.pending ? (given ? 'other' : 'previous') : given;
  if (early === 'other') return true;
  return (early === 'older' || early === 'previous') && asked?.before !== asked?.now;
}

/**
 * Whether a message begins no turn: it contains nothing to record, and there is no question for it.
 *
 * @param takesFacts the format records facts that messages mention
 */
export function isOnlyHeard(
  context: ConversationContext,
  event: HandledEvent,
  question: OpenQuestion | undefined,
  takesFacts: boolean,
): boolean {
  const hasMore = event['more'] === true;
  if (!isEarly(context, event) || (event['early'] !== 'older' && !hasMore)) return false;
  return (hasMore && !takesFacts) || tellingLines(String(event['text']), question) === '';
}

/** The lines of an early message that make sense by themselves. */
export function tellingLines(text: string, question: OpenQuestion | undefined): string {
  return text
    .split('\n')
    .filter((line) => !isBare(line, question?.options))
    .join('\n');
}

/** Whether a line says nothing without the question that it answers. */
export function isBare(line: string, options: readonly string[] = []): boolean {
  const plain = plainWords(line);
  if (plain === '' || options.some((option) => plainWords(option) === plain)) return true;
  const words = plain.split(' ');
  return words.length <= mostWords && words.every((word) => bare.test(word));
}

const mostWords = 6;

function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}👍👎✅]+/gu, ' ')
    .trim();
}

// cspell:disable
/** Yes, no and similar words in the most common languages, numbers, and letters of options. */
const bare = new RegExp(
  `^(?:${[
    String.raw`\d+|\p{L}|👍|👎|✅`,
    'yes|yeah|yep|yup|no|nope|nah|not|ok|okay|sure|fine|right|correct|exactly|agreed|true|false|please|thanks|thank|you|of|course|that|is|it|do',
    'the|option|number|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|last|both|none|neither',
    'ja|nein|nee|doch|gerne|bitte|danke|genau|klar|richtig|jawohl|stimmt|eins|zwei|drei|das|erste|zweite|dritte',
    'oui|non|merci|svp|accord|bien|sur|si|vous|plait|il|te|un|deux|trois|premier|deuxieme',
    'sim|nao|sin|por|favor|gracias|claro|vale|bueno|correcto|uno|dos|tres|obrigado|obrigada|certo',
    'va|bene|grazie|esatto|certo|due|tre|jo|jep|nei|nej|tak|takk|nie|da|net|да|нет|ок|はい|いいえ|是|不是|好|好的|不|네|아니요|نعم|لا',
  ].join('|')})$`,
  'u',
);
