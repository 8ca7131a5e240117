import { isRecord, type Json, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import type { Part } from '../authored.ts';
import { isAgentOnly, type QueryLanguage } from '../definition/field.ts';
import type {
  Dialect,
  Machine,
  MissingPaths,
  State,
  Workflow,
  WorkflowOptions,
} from '../definition/machine.ts';
import { bareStates, missingInAmazon, tooManyStates } from '../diagnostics/fields.ts';
import { isBareStates, stateSchema, workflow } from '../document.ts';
import { isAgentType, kindOf } from '../kinds.ts';
import { authoredStates } from '../walk.ts';
import { readWorkflowBudget } from '../definition/budget.ts';
import { asRecord, optionalNumber, optionalString } from './fields.ts';
import { readBase, type Reading } from './state.ts';
import { readCommonTools } from '../definition/tools.ts';

/**
 * @param language of the states that do not name one
 * @param statesAt the path of the states
 */
export function readMachine(
  { value: fields, at }: Part,
  language: QueryLanguage,
  reading: Reading,
  statesAt: Path = [...at, 'States'],
): Machine {
  const States: State[] = [];
  for (const [name, state] of Object.entries(asRecord(fields['States']))) {
    if (!isRecord(state)) continue;
    reading.budget.statesLeft -= 1;
    if (reading.budget.statesLeft < 0) break;
    States.push(readState(name, { value: state, at: [...statesAt, name] }, language, reading));
  }
  return { StartAt: optionalString(fields['StartAt']) ?? '', States, at, authored: fields };
}

/** A state of an unknown type, which a rule reports, is read as a Pass, so that rules can check the states around it. */
export function readState(
  name: string,
  authored: Part,
  language: QueryLanguage,
  reading: Reading,
): State {
  const base = readBase(name, authored, language);
  return kindOf(authored.value['Type']).read(base, authored, reading);
}

const agentFields = new Set(
  Object.entries(workflow.shape).flatMap(([name, field]) => (isAgentOnly(field) ? [name] : [])),
);

/**
 * The dialect of a workflow. An agent, or a state type that only agents' workflows have, decides first; then a resource or
 * JSONata; then any field or option that Agent State Language adds. A workflow without such signs is Amazon's.
 */
export function dialectOf(
  value: unknown,
  { missing }: Pick<WorkflowOptions, 'missing'> = {},
): Dialect {
  const signs = new Set<Sign>();
  if (missing === 'null') signs.add('agent field');
  if (isRecord(value)) {
    if (value['QueryLanguage'] !== undefined) signs.add('resource');
    if (Object.keys(value).some((field) => agentFields.has(field))) signs.add('agent field');
  }
  for (const { state } of authoredStates(value)) for (const sign of signsOf(state)) signs.add(sign);
  if (signs.has('agent')) return 'agent';
  return signs.has('agent field') && !signs.has('resource') ? 'agent' : 'amazon';
}

type Sign = 'agent' | 'resource' | 'agent field';

function* signsOf(state: Record<string, unknown>): Generator<Sign> {
  const type = state['Type'];
  if (Object.hasOwn(state, 'Agent') || isAgentType(type)) {
    yield 'agent';
  }
  if (Object.hasOwn(state, 'Resource') || state['QueryLanguage'] !== undefined) yield 'resource';
  const fields = stateSchema(type)?.shape ?? {};
  for (const name of Object.keys(state)) {
    if (Object.hasOwn(fields, name) && isAgentOnly(fields[name]!)) yield 'agent field';
  }
}

/** The most states of all machines together: more than anyone writes by hand. */
const mostStates = 10_000;

/**
 * Brings a workflow of either dialect into one spelling and fills in the defaults. Total: parts of a wrong shape are left
 * out (the shape check reports them), so that rules can judge the rest. Reading has limited how deep machines nest.
 */
export function normalise(
  given: unknown,
  report: Report,
  options: Pick<WorkflowOptions, 'dialect' | 'missing' | 'imports'> = {},
): Workflow {
  const isBare = isBareStates(given);
  if (isBare) report(bareStates(Object.keys(given)[0]!), [], { about: [] });
  const value = isBare ? { States: given } : given;
  const fields = asRecord(value);
  const dialect = options.dialect ?? dialectOf(value, options);
  if (options.missing === 'null' && dialect === 'amazon') report(missingInAmazon(), []);
  const language = fields['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  const imports = asRecord(fields['Imports']);
  const reading: Reading = {
    dialect,
    report,
    budget: { statesLeft: mostStates },
    readMachine: (machine, inner) => readMachine(machine, language, inner),
    tools: readCommonTools({ value: fields, at: [] }, { report }),
    importing: {
      files: options.imports as Readonly<Record<string, Json>> | undefined,
      path: '',
      imports,
      lock: asRecord(fields['_lock']),
      stack: [],
    },
  };
  const root = { value: fields, at: [] };
  const machine = readMachine(root, language, reading, isBare ? [] : ['States']);
  if (reading.budget.statesLeft < 0) {
    report(tooManyStates(mostStates), ['States']);
  }
  return {
    ...machine,
    dialect,
    missing: options.missing ?? readMissingPaths(fields, dialect),
    Comment: optionalString(fields['Comment']) ?? '',
    Version: optionalString(fields['Version']) ?? '1.0',
    TimeoutSeconds: optionalNumber(fields['TimeoutSeconds']),
    Budget: readWorkflowBudget(fields['Budget']),
    ToolCategories: Object.keys(asRecord(fields['ToolCategories'])),
    isBare,
    isTemplate: hasParameters(fields) || fields['Module'] === true,
    // The order of imports has no meaning.
    Imports: Object.keys(imports).toSorted(),
  };
}

/** The rule for missing paths in `Metadata` of a workflow. */
export function readMissingPaths(
  authored: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): MissingPaths {
  const isNull = asRecord(authored['Metadata'])['MissingPaths'] === 'null';
  return isNull && dialect === 'agent' ? 'null' : 'fail';
}

/** Whether a workflow declares parameters, in any shape or spelling: other checks report mistakes in them. */
function hasParameters(fields: Record<string, unknown>): boolean {
  return Object.keys(fields).some(
    (field) => field === 'Parameters' || nearestName(field, ['Parameters']) !== undefined,
  );
}
