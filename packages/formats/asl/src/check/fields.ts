import { nearestName, type Path, type Pattern } from '@dramaturg/compiler';
import type { z } from 'zod';
import { stateBudget, workflowBudget } from '../definition/budget.ts';
import { guardrailRule, guardrailSide } from '../definition/guardrails.ts';
import { choiceRule, condition } from '../definition/choice.ts';
import { isAgentOnly, languageOf } from '../definition/field.ts';
import type { QueryLanguage, State, Workflow } from '../definition/index.ts';
import { isStateType, itemProcessor, machine, stateSchemas } from '../definition/machine.ts';
import {
  itemBatcher,
  itemReader,
  processorConfig,
  readerConfig,
  resultWriter,
} from '../definition/map.ts';
import { generation, model, streaming } from '../definition/calling.ts';
import { contextWindow } from '../definition/context-window.ts';
import { reasoning } from '../definition/reasoning.ts';
import { memory, workflowMemory } from '../definition/memory.ts';
import { catcher, retrier } from '../definition/retry.ts';
import { tools } from '../definition/tools.ts';
import { workflow as workflowSchema } from '../definition/workflow.ts';
import {
  agentField,
  languageFixed,
  unknownField,
  unsupportedField,
  wrongQueryLanguage,
} from '../diagnostics/fields.ts';
import {
  authoredPart,
  conditionsOf,
  machinesOf,
  type Part,
  partOf,
  partsOf,
  statesOf,
} from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Every part has only fields that it can have. Amazon refuses others; Agent State Language is still growing, so there
 * they are pointed out. Spec: states-language.net/spec.html#statefields
 */
export const fieldsAreKnown: WorkflowRule = ({ definition, options, report }) => {
  for (const { owner, part, schema } of describedParts(definition)) {
    const { shape } = schema;
    for (const field of Object.keys(part.value)) {
      if (field === 'Type' && owner.endsWith('state')) continue;
      const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
      const path = [...part.at, field];
      if (known) {
        if (definition.dialect === 'amazon' && isAgentOnly(known))
          report(agentField(field), path, { at: 'key' });
        continue;
      }
      // Which language it is may follow from the very field that is misspelt.
      const fields = options.dialect === 'amazon' ? amazonFields(schema) : Object.keys(shape);
      const absent = fields.filter((one) => !Object.hasOwn(part.value, one));
      const near = nearestName(field, absent);
      const problem =
        definition.dialect === 'agent'
          ? unknownField(field, owner, near)
          : unsupportedField(field, owner, near);
      if (near === undefined) report(problem, path, { at: 'key' });
      else report({ ...problem, misread: true }, path, { at: 'key', misspelt: [...part.at, near] });
    }
  }
};

function amazonFields({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((field) => !isAgentOnly(shape[field]! as z.ZodType));
}

/**
 * A state has the fields of the language it speaks. In a template `Output` says what comes of it.
 * Spec: states-language.net/spec.html#query-language
 */
export const fieldsSpeakTheLanguage: WorkflowRule = ({ definition, report }) => {
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

/** Where it is said which language a part of a state speaks. */
function languageAt(at: Path): readonly Pattern[] {
  const stateAt = at.slice(0, at.lastIndexOf('States') + 2);
  return [['QueryLanguage'], [...stateAt, 'QueryLanguage']];
}

/** A workflow that speaks JSONata has no states that do not. Spec: states-language.net/spec.html#query-language */
export const languageStays: WorkflowRule = ({ definition, report }) => {
  if (definition.authored['QueryLanguage'] !== 'JSONata') return;
  for (const { authored, at } of statesOf(definition)) {
    if (authored['QueryLanguage'] === 'JSONPath') report(languageFixed(), [...at, 'QueryLanguage']);
  }
};

/** A part of a workflow, what it is called, its fields, and the language of the state it belongs to. */
interface DescribedPart {
  readonly owner: string;
  readonly part: Part;
  readonly schema: z.ZodObject;
  readonly language?: QueryLanguage;
}

function* describedParts(workflow: Workflow): Generator<DescribedPart> {
  for (const one of machinesOf(workflow)) {
    const part = authoredPart(one);
    const isWorkflow = one.at.length === 0;
    const field = one.at.at(-1);
    if (isWorkflow) {
      yield { owner: 'A workflow', part, schema: workflowSchema };
      yield* describedBlocks(part, blocksOfWorkflows);
    } else if (field === 'ItemProcessor' || field === 'Iterator')
      yield { owner: 'An item processor', part, schema: itemProcessor };
    else yield { owner: 'A branch', part, schema: machine };
    for (const state of one.States) yield* describedStateParts(state);
  }
}

function* describedStateParts(state: State): Generator<DescribedPart> {
  const type = state.authored['Type'];
  if (!isStateType(type)) return;
  const part = authoredPart(state);
  const language = state.QueryLanguage;
  yield { owner: `A ${type} state`, part, schema: stateSchemas[type], language };
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
  if (type === 'Map') yield* describedMapParts(part, language);
  if (type === 'Task') yield* describedTaskParts(part);
}

function* describedTaskParts(part: Part): Generator<DescribedPart> {
  yield* describedBlocks(part, blocksOfTasks);
  const guardrails = partOf(part, 'Guardrails');
  for (const field of ['Input', 'Output']) {
    const side = guardrails && partOf(guardrails, field);
    if (!side) continue;
    yield { owner: `The ${field.toLowerCase()} of guardrails`, part: side, schema: guardrailSide };
    for (const rule of partsOf(side, 'Rules')) {
      yield { owner: 'A guardrail', part: rule, schema: guardrailRule };
    }
  }
}

type Blocks = Readonly<Record<string, readonly [owner: string, schema: z.ZodObject]>>;

const blocksOfTasks: Blocks = {
  Budget: ['The budget of a state', stateBudget],
  Tools: ['A set of tools', tools],
  Memory: ['The memory of a state', memory],
  Context: ['The context of a state', contextWindow],
  Reasoning: ['The reasoning of a state', reasoning],
  Model: ['The model of a state', model],
  Generation: ['The generation of a state', generation],
  Streaming: ['The streaming of a state', streaming],
};
const blocksOfWorkflows: Blocks = {
  Budget: ['The budget of a workflow', workflowBudget],
  DefaultTools: ['A set of tools', tools],
  Memory: ['The memory of a workflow', workflowMemory],
};

function* describedBlocks(owner: Part, blocks: Blocks): Generator<DescribedPart> {
  for (const [field, [name, schema]] of Object.entries(blocks)) {
    const part = partOf(owner, field);
    if (part) yield { owner: name, part, schema };
  }
}

function* describedMapParts(map: Part, language: QueryLanguage): Generator<DescribedPart> {
  const processor = partOf(map, 'ItemProcessor');
  const reader = partOf(map, 'ItemReader');
  const parts = [
    [
      'A processor configuration',
      processor && partOf(processor, 'ProcessorConfig'),
      processorConfig,
    ],
    ['An item reader', reader, itemReader],
    ['A reader configuration', reader && partOf(reader, 'ReaderConfig'), readerConfig],
    ['An item batcher', partOf(map, 'ItemBatcher'), itemBatcher],
    ['A result writer', partOf(map, 'ResultWriter'), resultWriter],
  ] as const;
  for (const [owner, part, schema] of parts) if (part) yield { owner, part, schema, language };
}
