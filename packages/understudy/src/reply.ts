import type {
  Json,
  PortCall,
  PortInput,
  PortOutput,
  SpokenLine,
  ToolCall,
} from '@dramaturg/compiler';
import { numberIn, readAnswer } from './answer.ts';
import {
  acceptsOffer,
  asksForHuman,
  type Conversation,
  offerAfter,
  offersPerson,
  readConversation,
  suggestionFor,
  suggests,
} from './extract.ts';
import { accepts, type Field, fieldsOf, isSpecific, textKindOf } from './field.ts';
import { optionsMeant } from './options-meant.ts';
import {
  acceptedFor,
  optionsInWords,
  questionCore,
  questionFor,
  questionWords,
  textNouns,
} from './question.ts';
import { isCorrection } from './reading/correction.ts';
import {
  answeringPart,
  asksAboutAsking,
  excerpt,
  isGreeting,
  isQuestionBack,
  readDecline,
  wantsToSkip,
} from './reading/phrases.ts';
import { readNumbers } from './reading/number.ts';
import { knownItem, renderDirection, type Rendered, valueInWords } from './saying/direction.ts';

type Input = PortInput<'reply'>;
type Ask = Input['asks'][number];

/**
 * The reply port: acknowledges the message, carries out the directions in plain sentences, and asks the first question. A
 * direction with a question is done when it is answered, which the next extraction records.
 */
export async function reply(input: Input, call: PortCall): Promise<PortOutput<'reply'>> {
  const conversation = await readConversation(input.message, call);
  const { message, asks, directions, known } = input;
  const [ask] = asks;
  const field = ask && fieldOf(ask);
  if (wantsPerson(input, field, conversation)) return handOver(message ?? '');

  const rendered = directions.map(({ text, done }) => ({
    ...renderDirection(text, known, input.ends),
    done,
    isReminder: /^remind\b.{0,40}\bof what you asked/iu.test(text),
  }));
  const said = sayable(
    ask === undefined ? rendered : rendered.map(withoutOpeningQuestion),
    ask !== undefined,
  ).map((each) => (message === undefined ? each : withoutOldGreeting(each, conversation)));
  const sentences = said.map(({ text }) => text).filter((text) => text !== '');
  // Directions that complete no task may apply for many turns, and are not repeated in consecutive turns.
  const isTask = directions.some(({ done }) => done !== undefined);
  const isSaid = sentences.length > 0 && conversation.lastAgentLine.includes(sentences.join(' '));
  const closes = said.some((each) => each.closes);
  const spoken = isSaid && !isTask && !closes ? [] : sentences;
  const reminder = rendered.some(({ isReminder }) => isReminder) ? [reminderOf(conversation)] : [];
  const refused = rejections(input);
  const asked =
    ask === undefined || field === undefined
      ? []
      : [askFor(input, ask, field, conversation, refused.length > 0)];
  const taken =
    ask === undefined && isTask
      ? acknowledgement(input, isSaid, sentences.join(' '), conversation)
      : '';
  const speech = [taken, ...spoken].filter((text) => text !== '').join(' ');
  const lines = [...refused, speech, ...reminder, ...asked].filter((line) => line !== '');
  const isSilent = spoken.length === 0 && asked.length === 0 && reminder.length === 0;
  return {
    text: [...lines, ...(isSilent ? [neutral(input, conversation)] : [])].join('\n'),
    toolCalls: completedDirections(said, ask !== undefined, message !== undefined),
  };
}

function fieldOf({ name, question, schema }: Ask): Field | undefined {
  const described = { description: question, ...schema };
  return fieldsOf({ type: 'object', properties: { [name]: described } })[0];
}

/**
 * The directions that this message completes. If it asks something, all its statements are complete. If not, the last
 * statement waits for an answer, unless it closes the conversation or welcomes somebody who has already written.
 */
function completedDirections(
  said: readonly (Rendered & { readonly done: Input['directions'][number]['done'] })[],
  isAskingByName: boolean,
  hasMessage: boolean,
): ToolCall[] {
  const isAsking = isAskingByName || said.some(({ asks }) => asks);
  const statements = said.filter(({ asks }) => !asks);
  const waiting = statements.findLast(
    ({ closes, opening }) => !closes && !(hasMessage && opening !== undefined),
  );
  return statements.flatMap((each) =>
    each.done === undefined || (!isAsking && each === waiting) ? [] : [each.done],
  );
}

/** "Greet them and ask how you can help", before another question: the greeting is enough. */
function withoutOpeningQuestion<Each extends Rendered>(rendered: Each): Each {
  return rendered.opening === undefined
    ? rendered
    : { ...rendered, text: rendered.opening, asks: false };
}

/** An answer does not greet again. */
function withoutOldGreeting<Each extends Rendered>(each: Each, { lines }: Conversation): Each {
  const { opening, text } = each;
  const isOld =
    opening !== undefined &&
    lines.some((line) => line.role === 'agent' && line.text.includes(opening));
  return isOld ? { ...each, text: text.replace(opening, '').trim() } : each;
}

/** Keeps one question, and no goodbye next to a question. The other directions wait for a later reply. */
function sayable<Each extends Rendered>(rendered: readonly Each[], isAsking: boolean): Each[] {
  const question = isAsking ? undefined : rendered.find(({ asks }) => asks);
  return rendered.filter(
    (each) => each === question || !(each.asks || (each.closes && (isAsking || question))),
  );
}

// A person instead

function wantsPerson(
  { message, early }: Input,
  field: Field | undefined,
  { lastAgentLine }: Conversation,
): boolean {
  if (message === undefined) return false;
  if (asksForHuman(message, field)) return true;
  // A message that was written before the offer does not accept it.
  const isOffered = !early && offersPerson(lastAgentLine) && !lastAgentLine.includes('say "skip"');
  return isOffered && field !== undefined && acceptsOffer(message, field);
}

function handOver(message: string): PortOutput<'reply'> {
  return {
    text: 'All right, I am asking a person to take over. They will answer you here.',
    toolCalls: [
      {
        name: 'request_human_intervention',
        arguments: { reason: `The contact asked for a person: ${message.slice(0, 200)}` },
      },
    ],
  };
}

// Asking

/** How many times in a row the question was asked, according to the transcript. */
function attemptsOf(ask: Ask, { lines }: Conversation): number {
  const words = questionCore(ask);
  const agent = lines.filter(({ role }) => role === 'agent');
  if (agent.length === 0) return ask.attempts ?? 0;
  const other = agent.findLastIndex(({ text }) => !text.includes(words));
  return agent.length - 1 - other;
}

/** @param isRefused whether the reply has said already that the answer is not recorded */
function askFor(
  input: Input,
  ask: Ask,
  field: Field,
  conversation: Conversation,
  isRefused: boolean,
): string {
  const { message } = input;
  const attempts = message === undefined ? 0 : attemptsOf(ask, conversation);
  const maySkip = !ask.required || ask.skippable === true;
  const { lastAgentLine } = conversation;
  const wasSuggested = suggests(lastAgentLine) && lastAgentLine.includes(questionWords(ask));
  const suggestion = wasSuggested
    ? undefined
    : suggestionFor(
        field,
        saidSoFar(message, conversation),
        ask.unconfirmed ?? earlyAnswer(input, field),
      );
  if (suggestion !== undefined && !isOfAnother(suggestion.value, field, input))
    return `${confirmedCorrection(input)}${questionWords(ask)} ${suggestion.text}`;
  const wasUnderstood = ask.attempts === 0 && attempts > 0 && isUnderstood(input);
  if (attempts === 0 || wasUnderstood) return `${confirmedCorrection(input)}${questionFor(ask)}`;
  const why = isDenied(message ?? '', conversation)
    ? 'All right.'
    : input.early
      ? 'You wrote that before I asked.'
      : repromptFor(message ?? '', field, maySkip);
  const offer = offerAfter(attempts, maySkip) ?? (ask.required ? '' : 'You can also say skip.');
  return [
    isRefused ? '' : opener(attempts, why),
    questionWords(ask),
    `Please answer with ${acceptedFor(field)}.`,
    offer,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** What an early message would answer, if nothing but an answer looks like it: 4711-B. */
function earlyAnswer({ early, message }: Input, field: Field): Json | undefined {
  if (!early || message === undefined || !isSpecific(field)) return undefined;
  const answer = readAnswer(message, field, false, []);
  return typeof answer === 'object' ? answer.value : undefined;
}

/** Whether a number is already known as the value of another field: then it does not answer this question. */
function isOfAnother(value: Json, { kind, path }: Field, { known = [] }: Input): boolean {
  const others = known.filter(({ name }) => name !== path[0]);
  return (
    kind.kind === 'number' &&
    others.some((each) => valueInWords(each.value) === valueInWords(value))
  );
}

/** Varies the opening words from attempt to attempt. */
function opener(attempts: number, why: string): string {
  if (/^(?:Hello|I am|I understand|All right|If you)/u.test(why)) return why;
  const lowered = /^I\b|^"|^\d/u.test(why) ? why : why.charAt(0).toLowerCase() + why.slice(1);
  return attempts % 2 === 1 ? `Sorry, ${lowered}` : `${why} Let us try again.`;
}

function isDenied(message: string, { lastAgentLine }: Conversation): boolean {
  return suggests(lastAgentLine) && /^\W{0,3}(?:no|nope|nah)\b/iu.test(message);
}

function saidSoFar(message: string | undefined, { contactLinesBefore }: Conversation): string[] {
  return [...contactLinesBefore, ...(message === undefined ? [] : [message])];
}

// Taking up what was said

/** Whether the message gave a known value, or is more than a greeting. */
function isUnderstood({ message = '', known = [] }: Input): boolean {
  return knownItemsIn(message, known).length > 0 || !isGreeting(message);
}

/** Confirms a correction in words. Other answers need none: the next question shows that they were understood. */
function confirmedCorrection({ message, known = [] }: Input): string {
  if (message === undefined || !isCorrection(message)) return '';
  const corrected = knownItemsIn(message, known).at(-1);
  return corrected === undefined ? '' : `All right: ${knownItem(corrected)}. `;
}

function knownItemsIn(message: string, known: NonNullable<Input['known']>) {
  const said = message.toLowerCase();
  return known.filter(({ value }) => {
    const text = valueInWords(value).toLowerCase();
    return text !== '' && typeof value !== 'boolean' && said.includes(text);
  });
}

/** Acknowledges the answer to a direction. A question back is not answered. */
function acknowledgement(
  input: Input,
  isRepeated: boolean,
  speech: string,
  conversation: Conversation,
): string {
  const { message } = input;
  if (message === undefined || conversation.lines.every(isContact)) return '';
  if (isRepeated)
    return isQuestionBack(message)
      ? 'I am sorry, I cannot answer that.'
      : 'Sorry, I did not understand that.';
  if (/\bthank/iu.test(speech) || isGreeting(message) || isQuestionBack(message)) return '';
  return confirmedCorrection(input).trim() || 'Thank you.';
}

function isContact({ role }: SpokenLine): boolean {
  return role === 'contact';
}

const internal = /_|["“”]|\bstate\b|\btask\b/iu;

const apologies: Readonly<Record<string, string>> = {
  'Not recorded': 'Sorry, that is not recorded.',
  'Not done': 'Sorry, that did not work.',
};

/** The reasons why values were not recorded and tasks not done, without those that contain internal names. */
function rejections({ prompt }: Input): string[] {
  const reasons = prompt.flatMap(({ title, text }) => {
    const apology = apologies[title];
    return apology === undefined || text.trim() === '' ? [] : [{ apology, text: text.trim() }];
  });
  const authored = prompt.find(({ title }) => title.startsWith('Say this first'));
  return [
    ...(authored ? [authored.text] : []),
    ...reasons.map(({ apology, text }) => (internal.test(text) ? apology : `${apology} ${text}`)),
  ];
}

// Saying something when there is nothing to say

const goingOn = [
  'I see. Please go on.',
  'All right. Tell me more.',
  'I am listening.',
  'I hear you. What else?',
];

/** Without directions and tools, the conversation has probably ended. */
function neutral({ tools, directions }: Input, { lines }: Conversation): string {
  if (directions.length === 0)
    return tools.length > 0 ? 'Please go on.' : 'Thank you, that is all from me.';
  const spoken = lines.filter(({ role }) => role === 'agent').length;
  return spoken === 0 && !lines.some(isContact) ? 'Hello!' : goingOn[spoken % goingOn.length]!;
}

const waiting = 'I am still waiting for your answer.';

function reminderOf({ lastAgentLine }: Conversation): string {
  const question = lastAgentLine.split('\n').at(-1) ?? '';
  if (question.startsWith(waiting)) return question;
  return question.endsWith('?') || question.endsWith(')')
    ? `${waiting} ${question}`
    : 'I am still here, and waiting for your answer.';
}

/** The sentence before a repeated question: why the message did not answer it. */
function repromptFor(message: string, field: Field, maySkip: boolean): string {
  const text = message.trim();
  if (text === '') return 'I did not hear anything.';
  if (isGreeting(text)) return 'Hello!';
  if (asksAboutAsking(text)) return `I am asking because I need ${acceptedFor(field)}.`;
  if (isQuestionBack(text)) return 'I am sorry, I cannot answer that.';
  if (wantsToSkip(text) && !maySkip) return 'I am sorry, I cannot leave this one out.';
  const decline = readDecline(text);
  if (decline === 'refusal' && field.kind.kind !== 'yes-no')
    return maySkip
      ? 'If you would rather not say, you can say "skip".'
      : 'I understand, but I cannot go on without it.';
  return (
    unclear(text, field) ??
    `${quoted(text)} does not look like ${textNouns[textKindOf(field) ?? 'any'][0]}.`
  );
}

/** The unclear point in an answer of the right kind. */
function unclear(text: string, field: Field): string | undefined {
  const { kind } = field;
  const said = answeringPart(text);
  if (kind.kind === 'choice' || kind.kind === 'choices') {
    const meant = optionsMeant(text, said, kind.options, field);
    if (meant.length > 1)
      return `That could be ${optionsInWords(
        kind.options.filter((_, index) => meant.includes(index)),
        ' or ',
      )}. Which one do you mean?`;
    return `${quoted(text)} is not one of the answers I know.`;
  }
  if (kind.kind === 'yes-no') return `I could not tell whether ${quoted(text)} means yes or no.`;
  if (kind.kind !== 'number') return undefined;
  const read = numberIn(excerpt(said), field, []);
  if (read === undefined || readNumbers(excerpt(said)).length === 0)
    return `I did not find a number in ${quoted(text)}.`;
  if (typeof read === 'number')
    return accepts(field.schema, read) ? undefined : `${read} is not possible here.`;
  return `That could be ${read.among.join(' or ')}. Which one is it?`;
}

function quoted(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').replaceAll('"', "'");
  return `"${line.length <= 60 ? line : `${line.slice(0, 60)} …`}"`;
}
