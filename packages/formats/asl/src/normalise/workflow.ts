import type { Json } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import type { Dialect, MissingPaths, Workflow, WorkflowOptions } from '../definition/index.ts';
import { isBareStates } from '../recognise.ts';
import { bareStates, missingInAmazon, tooManyStates } from '../diagnostics/structure.ts';
import { dialectOf } from './dialect.ts';
import { optionalNumber, asRecord, optionalString } from './fields.ts';
import type { Reading } from './reading.ts';
import { readWorkflowBudget } from './budget.ts';
import { readMachine } from './machine.ts';
import { readCommonTools } from './tools.ts';

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
  workflow: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): MissingPaths {
  const isNull = asRecord(workflow['Metadata'])['MissingPaths'] === 'null';
  return isNull && dialect === 'agent' ? 'null' : 'fail';
}

/** Whether a workflow declares parameters, in any shape or spelling: other checks report mistakes in them. */
function hasParameters(fields: Record<string, unknown>): boolean {
  return Object.keys(fields).some(
    (field) => field === 'Parameters' || nearestName(field, ['Parameters']) !== undefined,
  );
}
