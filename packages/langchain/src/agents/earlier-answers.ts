import type { PortInput } from '@dramaturg/compiler';
import type { Fence } from '../prompt/fence.ts';

type EarlierAnswers = Pick<PortInput<'runAgent'>, 'complaints' | 'toolResults'>;

/** Describes the results of earlier answers in the same task, for the model. */
export function earlierAnswers(
  { complaints = [], toolResults = [] }: EarlierAnswers,
  fence: Fence,
): string[] {
  const results = fence(JSON.stringify(toolResults, undefined, 1), 'the tools');
  const wrong = fence(complaints.join('\n'), 'the workflow');
  return [
    ...(toolResults.length > 0
      ? [`What came of the tools that you have asked for so far:\n${results}`]
      : []),
    ...(complaints.length > 0
      ? [`What was wrong with your answers so far:\n${wrong}\nAnswer again, and put that right.`]
      : []),
  ];
}
