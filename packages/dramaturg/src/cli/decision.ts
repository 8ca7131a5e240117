import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { editedFields, stepsOf } from '@dramaturg/compiler/machine';
import { visible } from '@dramaturg/compiler/text';
import type { DecisionGiven } from '@dramaturg/host';
import { collect } from './host/host-options.ts';
import { UsageError } from './usage-error.ts';
import type { Command } from './command.ts';

/** Details that a person gives with an option: the flags of `decide`, also accepted after a decision that is typed in `run`. */
export interface DecisionOptions {
  readonly by?: string;
  readonly role?: readonly string[];
  readonly comment?: string;
  readonly edit?: readonly string[];
  readonly items?: string;
  readonly data?: readonly string[];
}

export function withDecisionOptions(command: Command): Command {
  return command
    .option('--by <name>', 'who decides')
    .option('--role <name>', 'a role of the person who decides; may be repeated', collect)
    .option('--comment <text>', 'why')
    .option('--edit <field=value>', 'change an editable field; may be repeated', collect)
    .option('--items <numbers>', 'approve these items of a batch, counted from 0: 0,2,3')
    .option(
      '--data <name=value>',
      'store a fact with the decision; may be repeated; or all facts as a JSON object',
      collect,
    );
}

/**
 * @param question gives the old values of editable fields
 * @throws UsageError when an option has a wrong form
 */
export function decisionGiven(
  option: string,
  { by, role, comment, edit, items, data }: DecisionOptions,
  question: Parameters<typeof editedFields>[0],
): DecisionGiven {
  return {
    decision: option,
    ...(by === undefined ? {} : { by }),
    ...(role === undefined ? {} : { roles: role }),
    ...(comment === undefined ? {} : { comment }),
    ...(edit === undefined ? {} : { edited: editedFields(question, edit.map(editOf)) }),
    ...(items === undefined ? {} : { approved: numbersIn(items) }),
    ...(data === undefined ? {} : { data: dataIn(data) }),
  };
}

/** `draft.title=Spring` is the path of a field and its value; the last name of the path is enough. */
function editOf(edit: string): [string, string] {
  const at = edit.indexOf('=');
  const path = edit.slice(0, Math.max(0, at));
  if (stepsOf(path).length > 0) return [path, edit.slice(at + 1)];
  throw new UsageError(
    `--edit ${visible(edit)} names no field.`,
    'Write it like this: --edit title="New title".',
  );
}

function numbersIn(written: string): number[] {
  const numbers = written.split(',').filter((word) => word.trim() !== '');
  const bad = numbers.find((word) => !/^\s*\d{1,9}\s*$/.test(word));
  if (bad === undefined) return numbers.map(Number);
  throw new UsageError(
    `"${visible(bad)}" is not the number of an item.`,
    'Write it like this: --items 0,2,3; "dramaturg decisions --json" shows the items.',
  );
}

/** `amount=40` is a number, `why=late` a string. */
function dataIn(written: readonly string[]): JsonObject {
  return Object.fromEntries(
    written.flatMap((each): [string, Json][] => {
      if (each.trimStart().startsWith('{')) return Object.entries(objectIn(each));
      const at = each.indexOf('=');
      if (at > 0) return [[each.slice(0, at), valueIn(each.slice(at + 1))]];
      throw new UsageError(
        `--data ${visible(each)} has no name.`,
        `Write it like this: --data amount=40, or --data '{"amount": 40}'.`,
      );
    }),
  );
}

function objectIn(text: string): JsonObject {
  const value = valueIn(text);
  if (isRecord(value)) return value;
  throw new UsageError(
    `--data ${visible(text)} is not a JSON object.`,
    `Write it like this: --data '{"amount": 40}'.`,
  );
}

/** JSON if it parses, else the string itself. */
function valueIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
