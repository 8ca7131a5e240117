import { nearestName, type Path, type Pattern, withArticle } from '@dramaturg/compiler';
import type { z } from 'zod';
import { choiceRule, condition } from '../definition/choice-rule.ts';
import { isAgentOnly, languageOf } from '../definition/field.ts';
import type { QueryLanguage, State, Workflow } from '../definition/index.ts';
import { catcher, retrier } from '../definition/retry.ts';
import type { Blocks } from '../definition/state-definition.ts';
import {
  nestedMachines,
  stateSchema,
  workflow as workflowSchema,
  workflowBlocks,
} from '../document.ts';
import { definitionOf } from '../kinds.ts';
import {
  agentField,
  languageFixed,
  unknownField,
  unsupportedField,
  wrongQueryLanguage,
} from '../diagnostics/fields.ts';
import { authoredPart, blocksAt, conditionsOf, type Part, partsOf } from '../authored.ts';
import { machinesOf, statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Every part has only known fields. Amazon refuses others; Agent State Language is still growing, so there others are
 * warnings. Spec: states-language.net/spec.html#statefields
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
 * A state has the fields of its query language. In a template `Output` declares the outcome.
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

/** Where the query language of a part of a state is set. */
function languageAt(at: Path): readonly Pattern[] {
  const stateAt = at.slice(0, at.lastIndexOf('States') + 2);
  return [['QueryLanguage'], [...stateAt, 'QueryLanguage']];
}

/** All states of a JSONata workflow are JSONata states. Spec: states-language.net/spec.html#query-language */
export const languageStays: WorkflowRule = ({ definition, report }) => {
  if (definition.authored['QueryLanguage'] !== 'JSONata') return;
  for (const { authored, at } of statesOf(definition)) {
    if (authored['QueryLanguage'] === 'JSONPath') report(languageFixed(), [...at, 'QueryLanguage']);
  }
};

/** A part of a workflow, its name in messages, its schema, and the language of the state it belongs to. */
interface DescribedPart {
  readonly owner: string;
  readonly part: Part;
  readonly schema: z.ZodObject;
  readonly language?: QueryLanguage;
}

function* describedParts(workflow: Workflow): Generator<DescribedPart> {
  for (const machine of machinesOf(workflow)) {
    const part = authoredPart(machine);
    if (machine.at.length === 0) {
      yield { owner: 'A workflow', part, schema: workflowSchema };
      yield* describedBlocks(part, workflowBlocks);
    } else {
      const [owner, schema] = nestedMachines[fieldOf(machine.at)]!;
      yield { owner, part, schema };
    }
    for (const state of machine.States) yield* describedStateParts(state);
  }
}

/** The field that holds a machine, or a list in which it is. */
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
  yield { owner: withArticle(`${String(type)} state`, 'A'), part, schema, language };
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
  yield* describedBlocks(part, definitionOf(state.Type).blocks ?? {}, language);
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
