import type { Format } from '@dramaturg/compiler/format';
import { agentReferences, dataTypes } from './data-types.ts';
import { authoring } from './authoring.ts';
import { behaviour } from './behaviour/index.ts';
import { workflowRules } from './check/workflow.ts';
import { type Workflow, workflowOptions, type WorkflowOptions } from './definition/index.ts';
import { workflowProblems } from './diagnostics/index.ts';
import { recognise, shapeOf } from './document.ts';
import { workflowSchemas } from './editor-schemas.ts';
import { importedPath, importedSources } from './imports.ts';
import { outline, placeholderMatters } from './outline.ts';
import { lower } from './lower/workflow.ts';
import { normalise } from './normalise/workflow.ts';
import { places, textOfCall } from './places/places.ts';

/** Workflows in Agent State Language or Amazon States Language. Spec: docs/formats/asl.md */
export const asl: Format<Workflow, WorkflowOptions> = {
  name: 'asl',
  kind: 'workflow',
  title: 'workflow',
  suffixes: ['.asl.json', '.asl.yaml', '.asl.yml', '.asl'],
  recognise,
  shape: shapeOf,
  schemas: workflowSchemas,
  authoring,
  dataTypes,
  options: workflowOptions,
  normalise,
  rules: workflowRules,
  lower,
  imports: { option: 'imports', sources: importedSources, path: importedPath },
  agentReferences,
  places,
  placeholders: { matters: placeholderMatters, textOfCall },
  outline,
  behaviour,
  problems: workflowProblems,
};

export type { WorkflowContext } from './context.ts';
export type * from './definition/index.ts';
export type { Approval } from './kinds/approval/definition.ts';
export type { Checkpoint } from './kinds/checkpoint.ts';
export type { Choice } from './kinds/choice.ts';
export type { Debate } from './kinds/debate/definition.ts';
export type { Fail } from './kinds/fail.ts';
export type { Include } from './kinds/include.ts';
export type { MapState } from './kinds/map/definition.ts';
export type { Parallel } from './kinds/parallel.ts';
export type { Pass } from './kinds/pass.ts';
export type { Subworkflow } from './kinds/subworkflow.ts';
export type { Succeed } from './kinds/succeed.ts';
export type { Task } from './kinds/task/definition.ts';
export type { Wait } from './kinds/wait.ts';
export type { WorkflowEmitted, WorkflowEvent, WorkflowInput, WorkflowOutput } from './events.ts';
export { loadWorkflowEngines } from './load-workflow-engines.ts';
export { type AmazonExport, type AmazonOptions, type Gap, toAmazon } from './to-amazon/index.ts';
export { testState } from './test-state.ts';
export type { StateTest, StateTestResult } from './test-state.ts';
export { StateTestError } from './test-state/tester.ts';
