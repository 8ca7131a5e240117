import type { Path } from '@dramaturg/compiler';
import type { Problem } from '@dramaturg/compiler/format';
import { checkShape } from '@dramaturg/compiler/shapes';
import { partOf } from '../authored.ts';
import { isExpression } from '../definition/field.ts';
import type { State, Workflow } from '../definition/machine.ts';
import { enginesNotLoaded } from '../diagnostics/data.ts';
import { badImport } from '../diagnostics/fields.ts';
import { shapeOf } from '../document.ts';
import { EnginesNotLoadedError } from '../engines/engines-not-loaded-error.ts';
import { isStateType, kindOf } from '../kinds.ts';
import type { Include } from '../kinds/include.ts';
import { unknownDefinition } from '../kinds/task/problems.ts';
import { normalise } from '../normalise/workflow.ts';
import { machinesOf, statesOf } from '../walk.ts';
import { budgetsWithoutFallback, budgetsWithoutLimit, smallBudgets } from './budgets.ts';
import { expressWorkflows } from './express-workflows.ts';
import {
  badVariableNames,
  conditionsWithoutExpression,
  expressionsAsNumbers,
  malformedExpressions,
  shadowedVariables,
  textsOf,
  unavailableDataRead,
} from './expressions.ts';
import {
  fieldsOfOtherLanguage,
  inertFields,
  statesBackToJsonPath,
  unenforcedFields,
  unknownFields,
} from './fields.ts';
import {
  guardrailRules,
  guardrailsWithoutEffect,
  incompleteContextStrategies,
  incompleteGuardrails,
  unusableGuardrails,
  uselessActions,
} from './guardrails.ts';
import { loopsWithoutProgress } from './loops-without-progress.ts';
import {
  barePlaceholders,
  literalQueries,
  malformedPaths,
  malformedRedactions,
  malformedTemplates,
  unfilledHoles,
} from './queries.ts';
import {
  entriesWithoutErrors,
  misplacedCatchAlls,
  unknownErrors,
  unknownJitters,
} from './recoveries.ts';
import type { WorkflowRule } from './rule.ts';
import {
  machinesWithoutEnd,
  machinesWithoutStates,
  unknownStarts,
  unknownTargets,
  unknownTypes,
  unreachableStates,
  wrongExits,
  wrongStateNames,
} from './structure.ts';
import { malformedDurations, timeLimits } from './time-limits.ts';
import { toolsAllowedAndDenied, toolsOf, unknownCategories, unusableToolSchemas } from './tools.ts';
import { unsetPaths } from './unset-paths.ts';

/** Applies the rules of each state's type to it. */
const rulesOfStateTypes: WorkflowRule = (subject) => {
  for (const state of statesOf(subject.definition)) {
    const { Type: type } = state.authored;
    if (isStateType(type)) for (const rule of kindOf(type).rules) rule(state, subject);
  }
};

/** Reports agents that name missing definitions. The caller knows which definitions exist. */
const unknownDefinitions: WorkflowRule = ({ options, report }) => {
  for (const { path, name, meant } of options.unknownDefinitions ?? [])
    report(unknownDefinition(name, meant), path);
};

/**
 * Runs rules. If a rule needs an engine that a page has not loaded, the workflow gets an error at the places that need the
 * engine, so that an unchecked workflow is not compiled.
 */
function withEngines(rules: readonly WorkflowRule[]): WorkflowRule {
  return (subject) => {
    const stopped = rules.filter((rule) => isStopped(rule, subject));
    if (stopped.length === 0) return;
    const { definition, report } = subject;
    const places = [...enginePlaces(definition)];
    for (const at of places.length > 0 ? places : [[]])
      report(enginesNotLoaded(), at, { topic: 'engines' });
  };
}

function isStopped(rule: WorkflowRule, subject: Parameters<WorkflowRule>[0]): boolean {
  try {
    rule(subject);
    return false;
  } catch (error) {
    if (error instanceof EnginesNotLoadedError) return true;
    throw error;
  }
}

/** The JSONata, the regular expressions and the JSON Schemas of a workflow, in this order. */
function* enginePlaces(workflow: Workflow): Generator<Path> {
  for (const state of statesOf(workflow)) {
    const needsEngine = (text: string) =>
      state.QueryLanguage === 'JSONata' ? isExpression(text) : text.includes('=~');
    for (const { text, at } of textsOf(state)) if (needsEngine(text)) yield at;
  }
  for (const { rule } of guardrailRules(workflow))
    for (const field of ['Pattern', 'Schema'])
      if (Object.hasOwn(rule.value, field)) yield [...rule.at, field];
  for (const tools of toolsOf(workflow)) {
    const validation = partOf(tools, 'Validation');
    if (validation) yield validation.at;
  }
}

/**
 * Reports templates that have problems once their parameters are filled in. They are reported at the Include, because
 * the template's text is in another file. Spec: Agent 10 §Include
 *
 * @param rules of a workflow
 */
function unusableTemplates(rules: readonly WorkflowRule[]): WorkflowRule {
  return ({ definition, options, report }) => {
    for (const state of statesOf(definition)) {
      const because = firstProblem(state, rules, { definition, options });
      if (because)
        report(badImport((state as Include).Template, because), [...state.at, 'Template']);
    }
  };
}

function firstProblem(
  state: State,
  rules: readonly WorkflowRule[],
  { definition, options }: Pick<Parameters<WorkflowRule>[0], 'definition' | 'options'>,
): string | undefined {
  if (state.Type !== 'Include') return undefined;
  const { Machine: machine, Filled: filled } = state as Include;
  if (!machine || !filled) return undefined;
  const { dialect } = definition;
  const found: string[] = [];
  checkShape(filled, shapeOf(), ({ message, severity }, path) => {
    if (severity === 'error')
      found.push(path.length === 0 ? message : `At ${path.join('.')}: ${message}`);
  });
  if (found[0] !== undefined) return found[0];
  const problems: Problem[] = [];
  const report = (problem: Problem) => void problems.push(problem);
  const subject = { definition: normalise(filled, report, { dialect }), options, report };
  for (const rule of rules) rule(subject);
  const wrong = problems.find(
    ({ severity, code }) => severity === 'error' && code !== 'asl/unknown-import',
  );
  if (wrong) return wrong.message;
  for (const { States: states } of machinesOf(machine)) {
    for (const inner of states) {
      const because = firstProblem(inner, rules, { definition, options });
      if (because) return because;
    }
  }
  return undefined;
}

const rules: readonly WorkflowRule[] = [
  machinesWithoutStates,
  unknownTypes,
  unknownStarts,
  unknownTargets,
  wrongExits,
  machinesWithoutEnd,
  unreachableStates,
  wrongStateNames,
  unknownFields,
  fieldsOfOtherLanguage,
  statesBackToJsonPath,
  rulesOfStateTypes,
  entriesWithoutErrors,
  misplacedCatchAlls,
  unknownErrors,
  unknownJitters,
  malformedPaths,
  malformedRedactions,
  malformedTemplates,
  literalQueries,
  badVariableNames,
  shadowedVariables,
  malformedExpressions,
  unavailableDataRead,
  unsetPaths,
  expressionsAsNumbers,
  conditionsWithoutExpression,
  budgetsWithoutFallback,
  budgetsWithoutLimit,
  smallBudgets,
  timeLimits,
  loopsWithoutProgress,
  incompleteGuardrails,
  unusableGuardrails,
  uselessActions,
  guardrailsWithoutEffect,
  incompleteContextStrategies,
  unknownCategories,
  toolsAllowedAndDenied,
  unusableToolSchemas,
  malformedDurations,
  unknownDefinitions,
  unfilledHoles,
  barePlaceholders,
  inertFields,
  unenforcedFields,
  expressWorkflows,
];

/** Every rule of a workflow, from the whole to its parts. */
export const workflowRules: readonly WorkflowRule[] = [
  withEngines([...rules, unusableTemplates([withEngines(rules)])]),
];
