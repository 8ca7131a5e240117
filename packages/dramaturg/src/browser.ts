/** The main entry for browsers: everything except stores on a disk, the console and files. */
export {
  type Chart,
  type Checked,
  type Compiled,
  type Diagnostic,
  DramaturgError,
  hasErrors,
  InputError,
  type Json,
  type JsonObject,
  listen,
  type Port,
  type PortCall,
  PortError,
  type PortInput,
  type PortName,
  type PortOutput,
  type Ports,
  printGithub,
  printPretty,
  providePorts,
  type SpokenLine,
  type Usage,
} from '@dramaturg/compiler';
export { toMermaid } from '@dramaturg/compiler/chart';
export { protectSecret } from '@dramaturg/compiler/secrets';
export {
  type Answer,
  type Channel,
  type ChannelContext,
  type Clock,
  type DeliveryReport,
  HostError,
  type HttpChannel,
  InstancesRunningError,
  type InstanceSummary,
  type InstanceView,
  type ItemSummary,
  limitPorts,
  type Limits,
  memoryStore,
  type OpenDecision,
  type OutgoingMessage,
  realClock,
  RejectedError,
  type RetentionPolicy,
  RetryLaterError,
  type Routed,
  type StartOptions,
  type Store,
  StoreError,
  type StoreLocation,
  type TranscriptLine,
  understudyPorts,
  webhookChannel,
} from '@dramaturg/host/browser';
export {
  createHost,
  type Host,
  hosted,
  type HostedDefinition,
  type HostOptions,
  type InstanceEvent,
} from './host.ts';
export { loadWorkflowEngines } from '@dramaturg/asl';
export {
  conversationLifecycle,
  type LifecycleDefinition,
  workflowLifecycle,
} from '@dramaturg/lifecycle';
export { check, compile, type CompileOptions, placesIn } from './compile.ts';
export type {
  CompiledGraph,
  CompiledLifecycle,
  CompiledNpc,
  CompiledPlan,
  CompiledWorkflow,
} from './compiled.ts';
