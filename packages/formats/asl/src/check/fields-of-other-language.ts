import type { Path } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import { withArticle } from '@dramaturg/compiler/text';
import type * as z from 'zod/mini';
import { authoredPart, blocksAt, conditionsOf, type Part, partsOf } from '../authored.ts';
import { type Blocks, languageOf } from '../definition/field.ts';
import { choiceRule, condition } from '../definition/choice-rule.ts';
import type { QueryLanguage, State, Workflow } from '../definition/index.ts';
import { catcher, retrier } from '../definition/retry.ts';
import { commonBlocks } from '../definition/state.ts';
import { wrongQueryLanguage } from '../diagnostics/fields.ts';
import {
  nestedMachines,
  stateSchema,
  workflow as workflowSchema,
  workflowBlocks,
} from '../document.ts';
import { definitionOf } from '../kinds.ts';
import { machinesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports fields of the other query language. In a template `Output` declares the outcome.
 * Spec: states-language.net/spec.html#query-language
 */
export const fieldsOfOtherLanguage: WorkflowRule = ({ definition, report }) => {
  for (const { part, schema, language } of describedParts(definition)) {
    if (language === undefined) continue;
    for (const field of Object.keys(part.value)) {
      const known = Object.hasOwn(schema.shape, field) ? schema.shape[field] : undefined;
      const belongs = known && languageOf(known);
      if (belongs === undefined || belongs === language) continue;
      if (definition.isTemplate && field === 'Output') continue;
      const problem = wrongQueryLanguage(field, language, belongs);
      report(problem, [...part.at, field], {
        at: 'key',
        follows: languageAt(part.at),
        topic: belongs,
      });
    }
  }
};

/** The fields that set the query language of a part of a state. */
function languageAt(at: Path): readonly Pattern[] {
  const stateAt = at.slice(0, at.lastIndexOf('States') + 2);
  return [['QueryLanguage'], [...stateAt, 'QueryLanguage']];
}

/** A part of a workflow. */
interface DescribedPart {
  /** Its name in messages. */
  readonly owner: string;
  readonly part: Part;
  readonly schema: z.ZodMiniObject;
  /** The language of the state that it belongs to. */
  readonly language?: QueryLanguage;
  /** The blocks that it may have. */
  readonly blocks?: Blocks;
}

export function* describedParts(workflow: Workflow): Generator<DescribedPart> {
  for (const machine of machinesOf(workflow)) {
    const part = authoredPart(machine);
    if (machine.at.length === 0) {
      yield { owner: 'A workflow', part, schema: workflowSchema, blocks: workflowBlocks };
      yield* describedBlocks(part, workflowBlocks);
    } else {
      const [owner, schema] = nestedMachines[fieldOf(machine.at)]!;
      yield { owner, part, schema };
    }
    for (const state of machine.States) yield* describedStateParts(state);
  }
}

/** The field that holds a machine, directly or in a list. */
function fieldOf(at: Path): string {
  const last = at.at(-1);
  return String(typeof last === 'number' ? at.at(-2) : last);
}

function* describedStateParts(state: State): Generator<DescribedPart> {
  const type = state.authored['Type'];
  const schema = stateSchema(type);
  if (!schema) return;
  const part = authoredPart(state);
  const language = state.QueryLanguage;
  const blocks = { ...commonBlocks, ...definitionOf(state.Type).blocks };
  yield { owner: withArticle(`${String(type)} state`, 'A'), part, schema, language, blocks };
  for (const one of partsOf(part, 'Retry'))
    yield { owner: 'A retrier', part: one, schema: retrier, language };
  for (const one of partsOf(part, 'Catch'))
    yield { owner: 'A catcher', part: one, schema: catcher, language };
  for (const rule of partsOf(part, 'Choices')) {
    for (const one of conditionsOf(rule)) {
      yield one === rule
        ? { owner: 'A choice rule', part: one, schema: choiceRule, language }
        : { owner: 'A condition within a rule', part: one, schema: condition, language };
    }
  }
  yield* describedBlocks(part, blocks, language);
}

function* describedBlocks(
  owner: Part,
  blocks: Blocks,
  language?: QueryLanguage,
): Generator<DescribedPart> {
  for (const [path, [name, schema]] of Object.entries(blocks)) {
    for (const part of blocksAt(owner, path)) {
      yield { owner: name, part, schema, ...(language && { language }) };
    }
  }
}
