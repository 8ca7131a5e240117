import type {
  GraphContext,
  GraphEmitted,
  GraphEvent,
  GraphInput,
  GraphOutput,
} from '@dramaturg/context-graph';
import type {
  WorkflowContext,
  WorkflowEmitted,
  WorkflowEvent,
  WorkflowInput,
  WorkflowOutput,
} from '@dramaturg/asl';
import type { Compiled } from '@dramaturg/compiler';
import type {
  LifecycleContext,
  LifecycleEmitted,
  LifecycleEvent,
  LifecycleInput,
  LifecycleOutput,
} from '@dramaturg/lifecycle';
import type { NpcContext, NpcEmitted, NpcEvent, NpcInput, NpcOutput } from '@dramaturg/npc';
import type { PlanContext, PlanEmitted, PlanEvent, PlanInput, PlanOutput } from '@dramaturg/plan';
import type {
  AnyActorRef,
  EventObject,
  MetaObject,
  ParameterizedObject,
  ProvidedActor,
  StateMachine,
  StateSchema,
  StateValue,
} from 'xstate';

/** The results of `compile` by the name of the format: the machine has the types of its events, input and output. */
export interface CompiledFormats {
  readonly plan: CompiledPlan;
  readonly asl: CompiledWorkflow;
  readonly npc: CompiledNpc;
  readonly 'context-graph': CompiledGraph;
  readonly lifecycle: CompiledLifecycle;
}

export type CompiledPlan = CompiledAs<PlanContext, PlanEvent, PlanInput, PlanOutput, PlanEmitted>;
export type CompiledWorkflow = CompiledAs<
  WorkflowContext,
  WorkflowEvent,
  WorkflowInput,
  WorkflowOutput,
  WorkflowEmitted
>;
export type CompiledNpc = CompiledAs<NpcContext, NpcEvent, NpcInput, NpcOutput, NpcEmitted>;
export type CompiledGraph = CompiledAs<
  GraphContext,
  GraphEvent,
  GraphInput,
  GraphOutput,
  GraphEmitted
>;
/** A lifecycle also accepts the events of its own table. Only the definition has their names. */
export type CompiledLifecycle = CompiledAs<
  LifecycleContext,
  LifecycleEvent | { readonly type: string },
  LifecycleInput,
  LifecycleOutput,
  LifecycleEmitted
>;

interface CompiledAs<
  Context extends object,
  Event extends EventObject,
  Input,
  Output,
  Emitted extends EventObject,
> extends Compiled {
  readonly machine?: StateMachine<
    Context,
    Event,
    Record<string, AnyActorRef | undefined>,
    ProvidedActor,
    ParameterizedObject,
    ParameterizedObject,
    string,
    StateValue,
    string,
    Input | undefined,
    Output,
    Emitted,
    MetaObject,
    StateSchema
  >;
}
