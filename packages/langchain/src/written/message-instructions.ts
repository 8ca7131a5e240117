import type { NextReply, PromptSection } from '@dramaturg/compiler';

/** The form of an answer that comes with a message. */
export const messageForm =
  'Your data comes with the next message to the person, as they will read it: nothing but the message.';

/** The instructions for the message that a model writes with its answer. Sections that quote people are in `promptWith`. */
export function messageInstructions({ prompt, tools, cases }: NextReply): string {
  return [
    '# The message',
    'Your data decides which of these cases it is. Write the message for that case, and name the case.',
    ...textsOf(prompt),
    ...cases.map(caseText),
    'If you are not sure which case it is, or it is none of them, leave the text empty: you will be asked for the message.',
    ...(tools.length === 0
      ? []
      : [
          'Leave it empty, too, if the person wants what only these can do:',
          ...tools.map(({ name, description }) => `- ${name}: ${description}`),
        ]),
  ].join('\n');
}

function caseText({ id, prompt, asks, directions }: NextReply['cases'][number]): string {
  return [
    `## Case ${JSON.stringify(id)}`,
    ...textsOf(prompt),
    ...(directions.length === 0
      ? []
      : [
          'What the message does; "does" lists the numbers of what it carries out:',
          ...directions.map(({ text }, index) => `${index + 1}. ${text}`),
        ]),
    ...(asks.length === 0
      ? []
      : [
          'It asks for the first of these that your data does not answer, and names it in "asks":',
          ...asks.map(
            ({ name, question, unconfirmed }) =>
              `- ${name}: ${question}${unconfirmed === undefined ? '' : ' They have said it already: ask them to confirm it.'}`,
          ),
        ]),
  ].join('\n');
}

function textsOf(prompt: readonly PromptSection[]): string[] {
  return prompt
    .filter(({ constant, data }) => !constant && !data)
    .map(({ title, text }) => `${title}: ${text}`);
}

/** The prompt of such a call: also what the reply has in each case and is constant, or quotes people. */
export function promptWith(
  prompt: readonly PromptSection[],
  { prompt: shared, cases }: NextReply,
): PromptSection[] {
  const quoted = [...shared, ...cases.flatMap((each) => each.prompt)].filter(
    ({ constant, data }) => constant || data,
  );
  const all = new Map<string, PromptSection>();
  for (const section of [...prompt, ...quoted]) {
    const { title, text } = section;
    const key = JSON.stringify([title, text]);
    if (!all.has(key)) all.set(key, section);
  }
  return [...all.values()];
}
