import { badVariableNames } from './bad-variable-names.ts';
import { budgetsWithoutFallback } from './budgets-without-fallback.ts';
import { budgetsWithoutLimit } from './budgets-without-limit.ts';
import { conditionsWithoutExpression } from './conditions-without-expression.ts';
import { entriesWithoutErrors } from './entries-without-errors.ts';
import { expressWorkflows } from './express-workflows.ts';
import { expressionsAsNumbers } from './expressions-as-numbers.ts';
import { fieldsOfOtherLanguage } from './fields-of-other-language.ts';
import { guardrailsWithoutEffect } from './guardrails-without-effect.ts';
import { incompleteContextStrategies } from './incomplete-context-strategies.ts';
import { incompleteGuardrails } from './incomplete-guardrails.ts';
import { inertFields } from './inert-fields.ts';
import { literalQueries } from './literal-queries.ts';
import { loopsWithoutProgress } from './loops-without-progress.ts';
import { machinesWithoutEnd } from './machines-without-end.ts';
import { machinesWithoutStates } from './machines-without-states.ts';
import { malformedDurations } from './malformed-durations.ts';
import { malformedExpressions } from './malformed-expressions.ts';
import { malformedPaths } from './malformed-paths.ts';
import { malformedRedactions } from './malformed-redactions.ts';
import { malformedTemplates } from './malformed-templates.ts';
import { misplacedCatchAlls } from './misplaced-catch-alls.ts';
import { rulesOfStateTypes } from './rules-of-state-types.ts';
import { shadowedVariables } from './shadowed-variables.ts';
import { smallBudgets } from './small-budgets.ts';
import { statesBackToJsonPath } from './states-back-to-jsonpath.ts';
import { timeLimits } from './time-limits.ts';
import { toolsAllowedAndDenied } from './tools-allowed-and-denied.ts';
import { unenforcedFields } from './unenforced-fields.ts';
import { unavailableDataRead } from './unavailable-data.ts';
import { unfilledHoles } from './unfilled-holes.ts';
import { unknownCategories } from './unknown-categories.ts';
import { unknownDefinitions } from './unknown-definitions.ts';
import { unknownErrors } from './unknown-errors.ts';
import { unknownFields } from './unknown-fields.ts';
import { unknownJitters } from './unknown-jitters.ts';
import { unknownStarts } from './unknown-starts.ts';
import { unknownTargets } from './unknown-targets.ts';
import { unknownTypes } from './unknown-types.ts';
import { unreachableStates } from './unreachable-states.ts';
import { unsetPaths } from './unset-paths.ts';
import { unusableGuardrails } from './unusable-guardrails.ts';
import { unusableTemplates } from './unusable-templates.ts';
import { unusableToolSchemas } from './unusable-tool-schemas.ts';
import { uselessActions } from './useless-actions.ts';
import { wrongExits } from './wrong-exits.ts';
import { wrongStateNames } from './wrong-state-names.ts';
import type { WorkflowRule } from './rule.ts';
import { withEngines } from './with-engines.ts';

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
  inertFields,
  unenforcedFields,
  expressWorkflows,
];

/** Every rule of a workflow, from the whole to its parts. */
export const workflowRules: readonly WorkflowRule[] = [
  withEngines([...rules, unusableTemplates([withEngines(rules)])]),
];
