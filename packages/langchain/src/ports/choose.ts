import { isRecord, type JsonObject, type Port, type PortInput } from '@dramaturg/compiler';
import { paidPort } from '../model/asking.ts';
import { unusableAnswer } from '../model/model-errors.ts';
import { isInConstantPart } from '../prompt/composer.ts';
import type { Judge } from '../written/judge.ts';

const reasonLengthMax = 1_000;

/** Picks one of the options. After two invalid answers the result is the fallback. */
export function choosePort(judge: Judge): Port<'choose'> {
  return paidPort('choose', async (input, asking) => {
    const { options, fallback, tools = [] } = input;
    const ids = options.map(({ id }) => id);
    const [only] = ids;
    // A single option needs no question, unless the option itself is to be judged.
    if (ids.length === 1 && tools.length === 0 && !input.requiresJudgement)
      return { option: only! };
    const result = await judge.ask(input, asking, {
      form: '# The answer\nPick exactly one of the options at the end, by its id.',
      now: [instructionsFor(input)],
      schema: schemaFor(judge.answers.countsForm ? undefined : ids),
      strict: true,
      tools,
      read: (value) => readChoice(value, ids),
      caseOf: ({ option }) => option,
    });
    if ('toolCalls' in result) {
      // The option is ignored as long as there are tools to run.
      return { option: fallback ?? ids[0]!, toolCalls: [...result.toolCalls] };
    }
    if ('answer' in result) return result.answer;
    if (fallback === undefined || !ids.includes(fallback))
      throw unusableAnswer(judge.answers.contextOf(asking), result.problem);
    return { option: fallback, reason: 'The model named no option, so the fallback stands.' };
  });
}

/**
 * Without the ids, the schema is the same for all choices. Providers treat it as the beginning of the prompt, so their cache of
 * the call before stays valid. The answer is always checked here.
 */
function schemaFor(ids: readonly string[] | undefined): JsonObject {
  return {
    type: 'object',
    properties: {
      option: {
        type: 'string',
        ...(ids && { enum: [...ids] }),
      },
      reason: { type: 'string', description: 'Why, in one sentence.' },
    },
    required: ['option', 'reason'],
    additionalProperties: false,
  };
}

function readChoice(value: unknown, ids: readonly string[]) {
  const { option, reason } = isRecord(value) ? value : {};
  const named = typeof option === 'string' ? option.trim() : undefined;
  const id = ids.find((each) => each === option || each === named);
  if (id === undefined) return { problem: `"option" has to be one of: ${JSON.stringify(ids)}.` };
  return {
    answer: {
      option: id,
      ...(typeof reason === 'string' ? { reason: reason.slice(0, reasonLengthMax) } : {}),
    },
  };
}

function instructionsFor(input: PortInput<'choose'>): string {
  const { options, fallback } = input;
  return [
    '# The options',
    ...options.map(({ id, description }) =>
      description !== '' && isInConstantPart(input, description)
        ? `- ${JSON.stringify(id)}`
        : `- ${JSON.stringify(id)}: ${description}`,
    ),
    ...(fallback === undefined
      ? []
      : [`When what was said supports none, pick ${JSON.stringify(fallback)}.`]),
  ].join('\n');
}
