import { approvalsAsk, decisionsArePossible, decisionsHaveAPlace } from './approval.ts';
import { budgetsHaveAFallback, budgetsHaveALimit } from './budget.ts';
import { nothingIsIgnoredInSilence } from './inert-fields.ts';
import { choicesAreThere, patternsArePlain, rulesCompare, timestampsAreTimes } from './choice.ts';
import { holesAreInTemplates, templatesAreImported } from './include.ts';
import { strategiesHaveWhatTheyNeed } from './context-window.ts';
import { debatesHaveTwoSides, speakersTakePart } from './debate.ts';
import { durationsAreReadable } from './durations.ts';
import { definitionsAreThere } from './definitions.ts';
import { failuresAreSaidOnce } from './fail.ts';
import { templatesAreSound } from './bad-import.ts';
import { fieldsAreKnown, fieldsSpeakTheLanguage, languageStays } from './fields.ts';
import { actionsAreOfUse, guardrailsCanBeLookedAt, guardrailsSayWhat } from './guardrails.ts';
import { conditionsAreExpressions, expressionsAreWellFormed } from './jsonata.ts';
import {
  batchesHaveALimit,
  distributedFieldsFit,
  executionTypesFit,
  labelsAreNames,
  mapFieldsAreGivenOnce,
  mapsHaveAProcessor,
  mapsHaveItems,
  tablesHaveHeaders,
} from './map.ts';
import { branchesAreThere } from './parallel.ts';
import { pathsAreWellFormed } from './paths.ts';
import { allComesLast, errorsAreKnown, errorsAreNamed, strategiesExist } from './retry.ts';
import type { WorkflowRule } from './rule.ts';
import {
  machinesEnd,
  machinesHaveStates,
  namesAreUnique,
  spelling,
  startsExist,
  statesLead,
  statesReachable,
  targetsExist,
  typesExist,
} from './structure.ts';
import {
  credentialsNameARole,
  expressDoesNotWait,
  heartbeatsAreShorter,
  integrationsExist,
  limitsAreGivenOnce,
  resourcesAreNamed,
  tasksAreDone,
} from './task.ts';
import { templatesAreWellFormed, variablesAreNameable } from './templates.ts';
import { categoriesExist, toolsAreAllowedOrDenied, toolSchemasCanBeUsed } from './tools.ts';
import { waitsSayHowLong } from './wait.ts';

const rules: readonly WorkflowRule[] = [
  spelling,
  machinesHaveStates,
  typesExist,
  startsExist,
  targetsExist,
  statesLead,
  machinesEnd,
  statesReachable,
  namesAreUnique,
  fieldsAreKnown,
  fieldsSpeakTheLanguage,
  languageStays,
  tasksAreDone,
  limitsAreGivenOnce,
  heartbeatsAreShorter,
  resourcesAreNamed,
  integrationsExist,
  expressDoesNotWait,
  credentialsNameARole,
  choicesAreThere,
  rulesCompare,
  timestampsAreTimes,
  patternsArePlain,
  mapsHaveAProcessor,
  mapsHaveItems,
  mapFieldsAreGivenOnce,
  executionTypesFit,
  distributedFieldsFit,
  batchesHaveALimit,
  tablesHaveHeaders,
  labelsAreNames,
  branchesAreThere,
  waitsSayHowLong,
  failuresAreSaidOnce,
  errorsAreNamed,
  allComesLast,
  errorsAreKnown,
  strategiesExist,
  pathsAreWellFormed,
  templatesAreWellFormed,
  variablesAreNameable,
  expressionsAreWellFormed,
  conditionsAreExpressions,
  approvalsAsk,
  decisionsArePossible,
  decisionsHaveAPlace,
  debatesHaveTwoSides,
  speakersTakePart,
  budgetsHaveAFallback,
  budgetsHaveALimit,
  guardrailsSayWhat,
  guardrailsCanBeLookedAt,
  actionsAreOfUse,
  strategiesHaveWhatTheyNeed,
  categoriesExist,
  toolsAreAllowedOrDenied,
  toolSchemasCanBeUsed,
  durationsAreReadable,
  definitionsAreThere,
  templatesAreImported,
  holesAreInTemplates,
  nothingIsIgnoredInSilence,
];

/** Every rule of a workflow, from the whole to its parts. */
export const workflowRules: readonly WorkflowRule[] = [...rules, templatesAreSound(rules)];
