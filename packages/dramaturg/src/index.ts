export {
  type Chart,
  type Checked,
  type Compiled,
  type Diagnostic,
  hasErrors,
  InputError,
  type Json,
  type JsonObject,
  LinkError,
  type Port,
  type PortCall,
  PortError,
  type PortInput,
  type PortName,
  type PortOutput,
  type Ports,
  type Position,
  printGithub,
  printPretty,
  type PromptSection,
  type ProvideOptions,
  providePorts,
  type Range,
  type Severity,
  toJson,
  toMermaid,
  type ToolCall,
  type ToolSpec,
  toStately,
} from '@dramaturg/compiler';
export { understudyPorts, type UnderstudyOptions } from '@dramaturg/host';
export type { GraphEmitted, GraphEvent, GraphInput, GraphOutput } from '@dramaturg/context-graph';
export {
  conversationLifecycle,
  type LifecycleDefinition,
  type LifecycleEmitted,
  type LifecycleEvent,
  type LifecycleInput,
  type LifecycleOutput,
  workflowLifecycle,
} from '@dramaturg/lifecycle';
export type { NpcEmitted, NpcEvent, NpcInput, NpcOutput } from '@dramaturg/npc';
export type { PlanEmitted, PlanEvent, PlanInput, PlanOutput, PlanUpdate } from '@dramaturg/plan';
export { check, compile, type CompileOptions } from './compile.ts';
export { formats } from './formats.ts';
