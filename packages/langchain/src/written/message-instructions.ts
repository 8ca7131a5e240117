import type { NextReply, PromptSection } from '@dramaturg/compiler';
import { isInConstantPart } from '../prompt/composer.ts';

type Prompt = readonly PromptSection[];
type Case = NextReply['cases'][number];

/** The form of an answer that comes with a message. All of it is constant, so that providers cache it. */
export const messageForm = [
  'Your data comes with the next message to the person. The cases at the end are the possible messages, and your data decides which it is: name the case, and follow its instructions.',
  'Ask for the first of its questions that your data does not answer, and name it in "asks". List in "does" the numbers of the tasks that the message carries out.',
  'If you are not certain of the case, leave the text empty.',
].join('\n');

/** The same for a choice: the options that come with a message are the cases. */
export const messageFormOfChoice =
  'Your choice comes with the next message to the person, if it is one of the cases at the end: name the case, and follow its instructions. Otherwise leave the text empty.';

/**
 * The instructions for the message that a model writes with its answer. Sections that quote people are in `promptWith`.
 *
 * @param prompt what the model gets besides
 */
export function messageInstructions(
  { prompt: shared, tools, cases }: NextReply,
  prompt: Prompt,
): string {
  const known = new Set(prompt.map(keyOf));
  const seen = new Set<string>();
  /** A text that several cases have is repeated by its title. */
  const textOf = (section: PromptSection) => {
    const isSeen = seen.has(keyOf(section));
    seen.add(keyOf(section));
    return isSeen ? `${section.title}: as above.` : `${section.title}: ${section.text}`;
  };
  const textsOf = (sections: Prompt) =>
    sections
      .filter((section) => !section.constant && !section.data && !known.has(keyOf(section)))
      .map(textOf);
  const isConstant = (text: string) => isInConstantPart({ prompt: [...prompt] }, text);
  /** The questions of a plan are in its outline, too. */
  const questionOf = ({ name, question, unconfirmed }: Case['asks'][number]) => {
    const text = isConstant(name) && isConstant(question) ? '' : ` (${question})`;
    const confirming = unconfirmed === undefined ? '' : ' (said already: ask to confirm it)';
    return `${name}${text}${confirming}`;
  };
  const caseText = ({ id, prompt: ofCase, asks, directions }: Case) => [
    `## Case ${JSON.stringify(id)}`,
    ...textsOf(ofCase.filter(({ text }) => !isConstant(text))),
    ...directions.flatMap(({ text, done }, index) =>
      done === undefined && isConstant(text) ? [] : [`${index + 1}. ${text}`],
    ),
    ...(asks.length === 0 ? [] : [`Questions: ${asks.map(questionOf).join(', ')}`]),
  ];
  return [
    '# The message',
    ...textsOf(shared),
    ...cases.flatMap(caseText),
    ...(tools.length === 0
      ? []
      : [
          'Leave the text empty, too, if the person wants what only these can do:',
          ...tools.map(({ name, description }) => `- ${name}: ${description}`),
        ]),
  ].join('\n');
}

/** The prompt of such a call: also what the reply has in each case and is constant, or quotes people. */
export function promptWith(prompt: Prompt, { prompt: shared, cases }: NextReply): PromptSection[] {
  const quoted = [...shared, ...cases.flatMap((each) => each.prompt)].filter(
    ({ constant, data }) => constant || data,
  );
  const all = new Map(prompt.map((section) => [keyOf(section), section]));
  for (const section of quoted) if (!all.has(keyOf(section))) all.set(keyOf(section), section);
  return [...all.values()];
}

function keyOf({ title, text }: PromptSection): string {
  return JSON.stringify([title, text]);
}
