import { templatesAreSound } from './bad-import.ts';
import { budgetsHaveAFallback, budgetsHaveALimit } from './budget.ts';
import { strategiesHaveWhatTheyNeed } from './context-window.ts';
import { definitionsAreThere } from './definitions.ts';
import { durationsAreReadable } from './durations.ts';
import { fieldsAreKnown, fieldsSpeakTheLanguage, languageStays } from './fields.ts';
import { actionsAreOfUse, guardrailsCanBeLookedAt, guardrailsSayWhat } from './guardrails.ts';
import { fieldsHaveAnEffect } from './inert-fields.ts';
import { conditionsAreExpressions, expressionsAreWellFormed } from './jsonata.ts';
import { pathsAreWellFormed } from './paths.ts';
import { allComesLast, errorsAreKnown, errorsAreNamed, strategiesExist } from './retry.ts';
import type { WorkflowRule } from './rule.ts';
import { statesFollowTheirTypes } from './state-types.ts';
import {
  machinesEnd,
  machinesHaveStates,
  namesAreUnique,
  startsExist,
  statesLead,
  statesReachable,
  targetsExist,
  typesExist,
} from './structure.ts';
import { templatesAreWellFormed, variablesAreNameable } from './templates.ts';
import { categoriesExist, toolsAreAllowedOrDenied, toolSchemasCanBeUsed } from './tools.ts';
import { holesAreInTemplates } from './unfilled-holes.ts';

const rules: readonly WorkflowRule[] = [
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
  statesFollowTheirTypes,
  errorsAreNamed,
  allComesLast,
  errorsAreKnown,
  strategiesExist,
  pathsAreWellFormed,
  templatesAreWellFormed,
  variablesAreNameable,
  expressionsAreWellFormed,
  conditionsAreExpressions,
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
  holesAreInTemplates,
  fieldsHaveAnEffect,
];

/** Every rule of a workflow, from the whole to its parts. */
export const workflowRules: readonly WorkflowRule[] = [...rules, templatesAreSound(rules)];
