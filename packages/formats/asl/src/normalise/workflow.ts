import { type Json, nearestName } from '@dramaturg/compiler';
import type { Finding, Workflow, WorkflowOptions } from '../definition/index.ts';
import { tooManyStates } from '../diagnostics/structure.ts';
import { dialectOf } from './dialect.ts';
import { numberOf, type Reading, record, textOf } from './fields.ts';
import { readWorkflowBudget } from './budget.ts';
import { readMachine } from './machine.ts';
import { readCommonTools } from './tools.ts';

/** In all machines of a workflow together: more than anyone has written by hand. */
const mostStates = 10_000;

/**
 * Brings a workflow of either dialect into one spelling and fills in the defaults. Total: what has a wrong shape is left
 * out (the shape check reports it), so that rules can judge the rest. Machines nest no deeper than reading lets them.
 */
export function normalise(
  value: unknown,
  options: Pick<WorkflowOptions, 'dialect' | 'imports'> = {},
): Workflow {
  const findings: Finding[] = [];
  const fields = record(value);
  const dialect = options.dialect ?? dialectOf(value);
  const language = fields['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  const imports = record(fields['Imports']);
  const reading: Reading = {
    dialect,
    findings,
    budget: { statesLeft: mostStates },
    readMachine: (inner, reading) => readMachine(inner, language, reading),
    tools: readCommonTools({ value: fields, at: [] }, { findings }),
    importing: {
      files: options.imports as Readonly<Record<string, Json>> | undefined,
      path: '',
      imports,
      lock: record(fields['_lock']),
      stack: [],
    },
  };
  const machine = readMachine({ value: fields, at: [] }, language, reading);
  if (reading.budget.statesLeft < 0) {
    findings.push({ problem: tooManyStates(mostStates), path: ['States'] });
  }
  return {
    ...machine,
    dialect,
    Comment: textOf(fields['Comment']) ?? '',
    Version: textOf(fields['Version']) ?? '1.0',
    TimeoutSeconds: numberOf(fields['TimeoutSeconds']),
    Budget: readWorkflowBudget(fields['Budget']),
    ToolCategories: Object.keys(record(fields['ToolCategories'])),
    isTemplate: hasParameters(fields) || fields['Module'] === true,
    Imports: Object.keys(imports),
    findings,
  };
}

/** Whether it declares what it is included with, in whatever shape and spelling: a finding says what is wrong with that. */
function hasParameters(fields: Record<string, unknown>): boolean {
  return Object.keys(fields).some(
    (field) => field === 'Parameters' || nearestName(field, ['Parameters']) !== undefined,
  );
}
