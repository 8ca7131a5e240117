import type { Path } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import { nearestName, withArticle } from '@dramaturg/compiler/text';
import type * as z from 'zod/mini';
import {
  authoredPart,
  blocksAt,
  conditionsOf,
  fieldsAt,
  type Part,
  partOf,
  partsOf,
} from '../authored.ts';
import { choiceRule, condition } from '../definition/choice-rule.ts';
import {
  type Blocks,
  isAgentOnly,
  languageOf,
  type QueryLanguage,
  type UnenforcedFields,
} from '../definition/field.ts';
import type { Dialect, State, Workflow } from '../definition/machine.ts';
import { catcher, commonBlocks, retrier } from '../definition/state.ts';
import { idempotencyFields } from '../definition/task-blocks.ts';
import { limitingToolFields, unenforcedToolFields } from '../definition/tools.ts';
import {
  agentField,
  carriedOnly,
  languageFixed,
  notEnforced,
  unknownField,
  unsupportedField,
  wrongQueryLanguage,
} from '../diagnostics/fields.ts';
import {
  inertWorkflowFields,
  metadataFields,
  nestedMachines,
  stateSchema,
  unenforcedWorkflowFields,
  workflowBlocks,
  workflow as workflowSchema,
} from '../document.ts';
import { definitionOf } from '../kinds.ts';
import type { Task } from '../kinds/task/definition.ts';
import { machinesOf, statesOf } from '../walk.ts';
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

function* describedParts(workflow: Workflow): Generator<DescribedPart> {
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

/** Reports JSONPath states in a JSONata workflow. Spec: states-language.net/spec.html#query-language */
export const statesBackToJsonPath: WorkflowRule = ({ definition, report }) => {
  if (definition.authored['QueryLanguage'] !== 'JSONata') return;
  for (const { authored, at } of statesOf(definition)) {
    if (authored['QueryLanguage'] === 'JSONPath') report(languageFixed(), [...at, 'QueryLanguage']);
  }
};

/** Parts in which an unknown field is likely to decide or limit something. */
const strictParts =
  /^(?:A choice rule|A condition)|\b(?:budget|guardrails?|tools?|rate limit|validation|audit|policy|batch mode|editable part|circuit breaker)\b/i;

/** Parts in which a misspelt field changes who sees, decides or shares something. */
const decidingParts = /\b(?:cache|communication|consensus)\b/;

/** Fields that limit or protect, wherever they are. */
const protecting =
  /^(?:Allowed|Denied|Namespace|TTL|DefaultTTL|Budget|Guardrails|Tools|DefaultTools|Policy|Audit|CircuitBreaker|Redact|Timeout|OnTimeout|TimeoutSeconds|HeartbeatSeconds|Credentials|Editable|BatchMode|Communication|Consensus|Context|Exclude|Filter|Limit|Overwrite|Required|IdempotencyKey(?:\.\$)?|(?:Max|Min)[A-Z].*|Tolerated.*)$/;

/** Names that people give to such fields. */
const permitting = /allow|den(?:y|ied)|permi(?:t|ssion)|forbid/i;

/** Whether an unknown field is an error, because the definition is unreliable without its effect. */
function mustBeRead(owner: string, field: string, near: string | undefined): boolean {
  if (near !== undefined && decidingParts.test(owner)) return true;
  return strictParts.test(owner) || protecting.test(near ?? field) || permitting.test(field);
}

/**
 * Reports fields that their part does not have: errors for Amazon, warnings for Agent State Language, which is still
 * growing, unless they decide, permit, limit or protect. Spec: states-language.net/spec.html#statefields
 */
export const unknownFields: WorkflowRule = ({ definition, options, report }) => {
  for (const { owner, part, schema, blocks = {} } of describedParts(definition)) {
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
      const block = blockWith(field, blocks, options.dialect);
      const near = block === undefined ? nearestName(field, absent) : undefined;
      const hint = hintOf(near, block);
      const problem =
        definition.dialect === 'agent' && !mustBeRead(owner, field, near)
          ? unknownField(field, owner, hint)
          : unsupportedField(field, owner, hint);
      if (near === undefined) report(problem, path, { at: 'key' });
      else report({ ...problem, misread: true }, path, { at: 'key', misspelt: [...part.at, near] });
    }
  }
};

/** The path of the block that has the field, such as `Policy`. */
function blockWith(
  field: string,
  blocks: Blocks,
  dialect: Dialect | undefined,
): string | undefined {
  return Object.entries(blocks).find(([path, [, schema]]) => {
    const { shape } = schema;
    if (path.includes('[]') || !Object.hasOwn(shape, field)) return false;
    return dialect !== 'amazon' || !isAgentOnly(shape[field]!);
  })?.[0];
}

function hintOf(near: string | undefined, block: string | undefined): string | undefined {
  if (block !== undefined) return `Move it into "${block}".`;
  return near === undefined ? undefined : `Did you mean "${near}"?`;
}

function amazonFields({ shape }: z.ZodMiniObject): string[] {
  return Object.keys(shape).filter((field) => !isAgentOnly(shape[field]!));
}

/** Fields of any state that have no effect yet. */
const inertInAnyState = ['Progress.HeartbeatOnUpdate', 'Progress.AggregateBy', 'Metadata'];

/** Reports fields that have no effect yet. Spec: docs/formats/asl.md#carried */
export const inertFields: WorkflowRule = ({ definition, report }) => {
  const reportInert = (
    paths: readonly string[],
    owner: Pick<typeof definition, 'authored' | 'at'>,
  ) => {
    for (const path of paths) {
      for (const { owner: part, field } of fieldsAt(authoredPart(owner), path)) {
        const at = [...part.at, field];
        report(carriedOnly(at.slice(owner.at.length).join('.')), at, { at: 'key' });
      }
    }
  };
  if (definition.dialect === 'agent') {
    reportInert(inertWorkflowFields, definition);
    const metadata = Object.keys(partOf(authoredPart(definition), 'Metadata')?.value ?? {});
    if (metadata.some((field) => !metadataFields.includes(field)))
      reportInert(['Metadata'], definition);
  }
  for (const state of statesOf(definition)) {
    reportInert([...inertInAnyState, ...(definitionOf(state.Type).inertFields ?? [])], state);
  }
};

/** Limits of tools that a definition, and a tool of a server, cannot enforce. A run with them fails before the call. */
const limitsOfNested: UnenforcedFields = Object.fromEntries(
  limitingToolFields
    .filter((field) => !Object.hasOwn(unenforcedToolFields, field))
    .map((field) => [
      `Tools.${field}`,
      'the agent is a definition or a tool, which enforces only "Allowed" and "Denied"',
    ]),
);

/** What a definition does not take over from the task that runs it. A tool has neither events nor a model. */
const unheededByNested: UnenforcedFields = {
  'Audit.Redact': 'the agent is a definition, and its own events show the data',
  'Generation.MaxTokens': 'the agent is a definition, and its own agents do not know it',
};

/** The kind of an agent that is written as a definition or as a tool of a server: `plan:intake`, `mcp:files/read`. */
function nestedKind(state: State): string | undefined {
  const { Agent: agent = '' } = state as Partial<Task>;
  return /^([a-z][\w-]*):[\w./-]+$/.exec(agent)?.[1];
}

/** Blocks of agents. A `Resource` works without them. */
const forAgents = (fields: readonly string[]): UnenforcedFields =>
  Object.fromEntries(
    fields.map((field) => [field, 'it is for agents, and this task has a "Resource"']),
  );
const guardsOfAgents = forAgents(['Guardrails', 'Tools', 'Budget', 'Context', 'Reasoning']);
const otherBlocksOfAgents = forAgents([
  'Memory',
  'Cache',
  'Model',
  'Generation',
  'Streaming',
  ...Object.keys(idempotencyFields),
]);

/**
 * Reports fields that should limit or protect something and do not. Warnings where an agent may enforce them.
 * Spec: docs/formats/asl.md#carried
 */
export const unenforcedFields: WorkflowRule = ({ definition, report }) => {
  const reportFields = (
    fields: UnenforcedFields,
    owner: Pick<typeof definition, 'authored' | 'at'>,
    severity?: 'error',
  ) => {
    for (const [path, because] of Object.entries(fields)) {
      for (const { owner: part, field } of fieldsAt(authoredPart(owner), path)) {
        if (part.value[field] === false) continue;
        const at = [...part.at, field];
        const problem = notEnforced(at.slice(owner.at.length).join('.'), because);
        report(severity ? { ...problem, severity } : problem, at, { at: 'key' });
      }
    }
  };
  if (definition.dialect === 'agent') reportFields(unenforcedWorkflowFields, definition);
  for (const state of statesOf(definition)) {
    reportFields(definitionOf(state.Type).unenforcedFields ?? {}, state);
    if (isServiceTask(state)) {
      reportFields(guardsOfAgents, state, 'error');
      if (definition.dialect === 'agent') reportFields(otherBlocksOfAgents, state);
    }
    const kind = nestedKind(state);
    if (kind !== undefined) reportFields(limitsOfNested, state);
    if (kind !== undefined && kind !== 'mcp') reportFields(unheededByNested, state);
  }
};

function isServiceTask(state: State): boolean {
  if (state.Type !== 'Task') return false;
  const { Agent: agent, Resource: resource } = state as Task;
  return agent === undefined && resource !== undefined;
}
