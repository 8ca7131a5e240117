import type { PortInput } from '@dramaturg/compiler';
import { fenced } from '../prompt/fence.ts';

type EarlierAnswers = Pick<PortInput<'runAgent'>, 'key' | 'complaints' | 'toolResults'>;

/** Describes the results of earlier answers in the same task, for the model. */
export function earlierAnswers({
  key,
  complaints = [],
  toolResults = [],
}: EarlierAnswers): string[] {
  const results = fenced(JSON.stringify(toolResults, undefined, 1), 'the tools', key);
  const wrong = fenced(complaints.join('\n'), 'the workflow', key);
  return [
    ...(toolResults.length > 0
      ? [`What came of the tools that you have asked for so far:\n${results}`]
      : []),
    ...(complaints.length > 0
      ? [`What was wrong with your answers so far:\n${wrong}\nAnswer again, and put that right.`]
      : []),
  ];
}
