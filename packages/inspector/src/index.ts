export { chartOf } from './chart.ts';
export type {
  ActorEvent,
  EmittedEvent,
  GuardEvent,
  InspectedCall,
  InspectedEvent,
  InspectedSnapshot,
  InspectorEvent,
  SentEvent,
  SnapshotEvent,
  StatelyEvent,
  StepEvent,
  TakenTransition,
  TransitionEvent,
} from './events.ts';
export { type EvaluatedGuard, type GuardListener, watchGuards } from './guards.ts';
export { createInspector, type Inspector, type InspectorOptions } from './inspector.ts';
export { type Actors, applyTo, type RecordedActor, type Recording } from './recording.ts';
