import type { Format } from '@dramaturg/compiler/format';
import { authoring } from './authoring.ts';
import { behaviour } from './behaviour/index.ts';
import { lifecycleRules } from './check/index.ts';
import { dataTypes } from './data-types.ts';
import { type Lifecycle, lifecycleOptions, type LifecycleOptions, shapeOf } from './definition.ts';
import { lifecycleSchema } from './editor-schema.ts';
import { lower } from './lower/lifecycle.ts';
import { normalise } from './normalise/index.ts';
import { outline } from './outline.ts';
import { kinds } from './problems.ts';
import { recognise } from './recognise.ts';
import { wiringOf } from './wiring.ts';

/** Lifecycles: a table of states and of the events that lead from one to another. Spec: docs/formats/lifecycle.md */
export const lifecycle: Format<Lifecycle, LifecycleOptions> = {
  name: 'lifecycle',
  kind: 'lifecycle',
  title: 'lifecycle',
  suffixes: ['.lifecycle.json', '.lifecycle.yaml', '.lifecycle.yml'],
  recognise,
  shape: shapeOf,
  schemas: [lifecycleSchema],
  authoring,
  dataTypes,
  options: lifecycleOptions,
  normalise,
  rules: lifecycleRules,
  lower,
  wiring: wiringOf,
  outline,
  behaviour,
  problems: kinds,
};

export type {
  Frozen,
  HeartbeatConfig,
  LifecycleContext,
  Timer,
  Todo,
  TodoStatus,
  Turn,
} from './context.ts';

export { conversationLifecycle, workflowLifecycle } from './built-in.ts';

export type {
  AuthoredAction,
  AuthoredPolicies,
  AuthoredRow,
  AuthoredState,
  Lifecycle,
  LifecycleDefinition,
  LifecycleOptions,
  Policies,
  Row,
  State,
} from './definition.ts';

export type {
  EventRefused,
  LifecycleEmitted,
  LifecycleEvent,
  LifecycleInput,
  LifecycleOutput,
} from './events.ts';

export type { Kind, TurnKind } from './vocabulary.ts';
