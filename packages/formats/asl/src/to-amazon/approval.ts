import type { Json, JsonObject, Path } from '@dramaturg/compiler';
import { parseDuration } from '../data/timestamp.ts';
import { amazonRule } from './choice-rule.ts';
import type { Exporting } from './gap.ts';
import { amazonPrompt } from './prompt.ts';
import type { Surroundings } from './surroundings.ts';

/** The fields of an approval that a task with a token and a Choice can do. */
const known = new Set([
  'Type',
  'Comment',
  'Prompt',
  'Prompt.$',
  'Options',
  'Timeout',
  'ResultPath',
  'InputPath',
  'Choices',
  'Default',
  'Next',
  'End',
  'Metadata',
]);

/**
 * A task that waits for a token and, where decisions lead to different states, a Choice. The token is given back with
 * the decision: `{ "approval": "approve" }`.
 */
export function amazonApproval(
  name: string,
  state: JsonObject,
  at: Path,
  around: Surroundings,
): Record<string, JsonObject> {
  const { exporting, language } = around;
  for (const field of Object.keys(state))
    if (!known.has(field)) exporting.lacksField(field, [...at, field]);
  if (language === 'JSONata')
    exporting.cannot(
      at,
      'An approval in JSONata has no task of Amazon.',
      'Write the state in JSONPath.',
    );
  const { ResultPath: resultPath, Timeout: timeout, Choices: choices, Default: otherwise } = state;
  if (resultPath === undefined)
    exporting.cannot(
      at,
      'An approval without "ResultPath" adds the decision to its input, and Amazon cannot.',
      'Add "ResultPath", such as "$.review".',
    );
  const seconds = typeof timeout === 'string' ? parseDuration(timeout) : undefined;
  const decided = `${name} decided`;
  const { Comment: comment, InputPath: inputPath, Next: next, End: end } = state;
  const task = {
    Type: 'Task',
    Comment: comment,
    InputPath: inputPath,
    ...request(state, at, exporting),
    ResultPath: resultPath,
    TimeoutSeconds: seconds === undefined ? undefined : Math.max(1, Math.round(seconds / 1000)),
    Catch:
      seconds === undefined || otherwise === undefined
        ? undefined
        : [{ ErrorEquals: ['States.Timeout'], ResultPath: null, Next: otherwise }],
    ...(choices === undefined ? { Next: next, End: end } : { Next: decided }),
  };
  if (!Array.isArray(choices)) return { [name]: withoutUndefined(task) };
  const choice = {
    Type: 'Choice',
    Choices: choices.map((rule, index) => amazonRule(rule, [...at, 'Choices', index], around)),
    Default: otherwise ?? next,
  };
  return { [name]: withoutUndefined(task), [decided]: withoutUndefined(choice) };
}

function request(state: JsonObject, at: Path, exporting: Exporting): Record<string, Json> {
  const { Prompt: prompt, 'Prompt.$': promptPath, Options: options } = state;
  const message = withoutUndefined({
    'TaskToken.$': '$$.Task.Token',
    'Input.$': '$',
    ...(prompt !== undefined && amazonPrompt(prompt, [...at, 'Prompt'], exporting)),
    ...(promptPath !== undefined && { 'Prompt.$': promptPath }),
    Options: options ?? ['approve', 'reject'],
  });
  return exporting.options.approvals === 'sqs'
    ? {
        Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
        Parameters: { QueueUrl: '${ApprovalsQueueUrl}', MessageBody: message },
      }
    : {
        Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
        Parameters: { FunctionName: '${ApprovalsFunctionArn}', Payload: message },
      };
}

function withoutUndefined(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}
