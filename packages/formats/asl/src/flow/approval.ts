import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { compileCondition } from '../data/choice/index.ts';
import { readPath } from '../data/path/read.ts';
import { compileWrite } from '../data/path/write.ts';
import { compileTemplate } from '../data/template.ts';
import type { Approval, Dialect } from '../definition/index.ts';
import { compileOptionalGiven } from './given.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

/** What a person has decided. */
export interface Decision {
  readonly decision: string;
  readonly by?: string | undefined;
  readonly comment?: string | undefined;
  /** The fields that the person was free to change, as they are now. */
  readonly edited?: Json | undefined;
}

/** What is asked of a person, and what becomes of the answer. Spec: Agent 2 §Approval State, Agent 6 */
export interface ApprovalFlow {
  readonly prompt: (run: Run, selected: Json) => string;
  /** What is stored of a decision. Agent 6 §Result */
  readonly record: (decision: Decision, prompt: string, moment: number) => JsonObject;
  /** The state's data with the decision, and with what was edited. */
  readonly store: (run: Run, record: JsonObject, decision: Decision) => Json;
  /** The first rule that holds; undefined when none does. */
  readonly choose: (run: Run, output: Json, decision: string) => number | undefined;
}

export function compileApproval(state: Approval, dialect: Dialect): ApprovalFlow {
  const rules = state.Choices.map(({ condition }) => compileCondition(condition!, dialect));
  return {
    prompt: compilePrompt(state, dialect),
    record: ({ decision, by, comment }, prompt, moment) => ({
      approval: decision,
      approver: by ?? 'user',
      timestamp: new Date(moment).toISOString(),
      prompt,
      ...(comment !== undefined && { comment }),
    }),
    store(run, record, { edited }) {
      const { Editable: editable } = state;
      const input =
        editable && edited !== undefined
          ? compileWrite(editable.ResultPath)(run.input, edited)
          : run.input;
      const { ResultPath: path } = state;
      if (path === null) return input;
      if (path !== undefined) return path === '$' ? record : compileWrite(path)(input, record);
      return isRecord(input) ? { ...input, ...record } : record;
    },
    choose(run, output, decision) {
      // The language's own page tests `$.approval`, shipped workflows test `$.approval.approval` where it is stored
      // under that name: both are meant to be the decision.
      const plain: Json = {
        ...(isRecord(output) ? output : {}),
        approval: decision,
      };
      const rule = rules.findIndex(
        (holds) => holds(evaluation(run, output)) || holds(evaluation(run, plain)),
      );
      return rule >= 0 ? rule : undefined;
    },
  };
}

/** `{{$.path}}` within a text. Agent 6 §Prompts */
const hole = /\{\{\s*(\$[^{}]*?)\s*\}\}/g;

function compilePrompt(state: Approval, dialect: Dialect): (run: Run, selected: Json) => string {
  const prompt = compileOptionalGiven(state.Prompt, dialect, 'Prompt');
  if (!prompt || !state.Prompt) return () => '';
  const structured =
    'value' in state.Prompt && isRecord(state.Prompt.value)
      ? compileTemplate(state.Prompt.value, dialect, 'Prompt')
      : undefined;
  return (run, selected) => {
    const value = structured ? structured(evaluation(run, selected)) : prompt(run, selected);
    return textOf(value).replace(hole, (written, path: string) => {
      const found = readPath(path, evaluation(run, selected));
      return found.found ? textOf(found.value) : written;
    });
  };
}

/** A structured prompt is its title and its description. */
function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return JSON.stringify(value);
  const { Title: title, Description: description } = value;
  const parts = [title, description].filter((part) => typeof part === 'string');
  return parts.length > 0 ? parts.join('\n\n') : JSON.stringify(value);
}
