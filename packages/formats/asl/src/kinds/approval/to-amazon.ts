import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import { parseDuration, parseTimestamp } from '../../data/timestamp.ts';
import { comparisons } from '../../definition/choice-rule.ts';
import type { Exporting, Surroundings } from '../../to-amazon/exporting.ts';

const hole = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The prompt of an approval as a field of a template: its holes, `{{$.price}}`, are filled by an intrinsic function. */
function amazonPrompt(prompt: Json, at: Path, exporting: Exporting): JsonObject {
  if (isRecord(prompt)) {
    const parts = Object.entries(prompt).map(([name, part]) =>
      fieldOf(name, part, [...at, name], exporting),
    );
    return { Prompt: Object.fromEntries(parts) };
  }
  return Object.fromEntries([fieldOf('Prompt', prompt, at, exporting)]);
}

function fieldOf(name: string, text: Json, at: Path, exporting: Exporting): [string, Json] {
  if (typeof text !== 'string' || name.endsWith('.$') || !text.includes('{{')) return [name, text];
  const paths = Array.from(text.matchAll(hole), ([, path]) => path!);
  if (!paths.every((path) => /^\$[\w.[\]*$-]*$/.test(path)) || paths.length === 0) {
    exporting.cannot(
      at,
      'Amazon fills only paths into the text of a prompt.',
      'Compute the text in a Pass before, and name its path with "Prompt.$".',
    );
    return [name, text];
  }
  const pieces = text.split(hole).filter((_, index) => index % 2 === 0);
  // Escapes braces and quotes: they are not holes, and do not end the argument.
  const format = pieces.map((piece) => piece.replaceAll(/[\\'{}]/g, '\\$&')).join('{}');
  return [`${name}.$`, `States.Format('${format}', ${paths.join(', ')})`];
}

/** The fields of an approval that a task with a token and a Choice can express. */
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

/** A rule whose comparisons are false when their variable is missing, as in agents' workflows: Amazon fails instead. */
export function amazonRule(rule: Json, at: Path, around: Surroundings): Json {
  if (!isRecord(rule)) return rule;
  const { exporting } = around;
  const fields = rule;
  if (fields['Variable.$'] !== undefined)
    exporting.cannot(
      [...at, 'Variable.$'],
      'Amazon compares no values of intrinsic functions.',
      'Compute the value in a Pass before, and compare its path.',
    );
  const nested = (value: Json | undefined, path: Path): Json | undefined =>
    Array.isArray(value)
      ? value.map((one, index) => amazonRule(one, [...path, index], around))
      : value === undefined
        ? undefined
        : amazonRule(value, path, around);
  const { And: and, Or: or, Not: not, ...rest } = fields;
  const connected = Object.fromEntries(
    Object.entries({
      And: nested(and, [...at, 'And']),
      Or: nested(or, [...at, 'Or']),
      Not: nested(not, [...at, 'Not']),
    }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
  return withPresence({ ...rest, ...connected }, at, around);
}

function withPresence(rule: JsonObject, at: Path, { exporting }: Surroundings): JsonObject {
  const operator = Object.keys(rule).find((field) => Object.hasOwn(comparisons, field));
  const { Variable: variable } = rule;
  if (operator === undefined || variable === undefined || operator === 'IsPresent') return rule;
  const operand = rule[operator];
  const isTime = operator.startsWith('Timestamp') && !operator.endsWith('Path');
  if (isTime && typeof operand === 'string' && parseTimestamp(operand) === undefined)
    exporting.cannot(
      [...at, operator],
      `Amazon has no times relative to now: "${operand}".`,
      'Write a timestamp, such as "2026-03-02T09:30:00Z", or compute it in a Task before.',
    );
  const { Variable: _, [operator]: __, ...others } = rule;
  return {
    And: [
      { Variable: variable, IsPresent: true },
      { Variable: variable, [operator]: operand! },
    ],
    ...others,
  };
}
