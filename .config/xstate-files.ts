/** Which files depend on the parts of XState that change in XState 6. `boundaries.ts` enforces it. */

/** Values of XState that any file may import: they change little in XState 6. */
export const stableXstate = new Set(['createActor', 'setup', 'toPromise', 'waitFor']);
/** Types whose shape changes in XState 6. */
export const changingXstateTypes = new Set([
  'ActorLogic',
  'ActorRefLike',
  'ActorScope',
  'AnyStateNode',
  'InspectionEvent',
]);
/** The files that may import more of XState. docs/architecture.md says where to begin with XState 6. */
export const xstateFiles = [
  'packages/compiler/src/link/each.ts',
  'packages/compiler/src/link/effects.ts',
  'packages/compiler/src/link/listen.ts',
  'packages/compiler/src/link/machine.ts',
  'packages/compiler/src/ports/port-logic.ts',
  'packages/compiler/src/ports/provide.ts',
  'packages/host/src/xstate/',
  'packages/inspector/src/',
  'packages/inspector-legacy/',
  'packages/react/src/conversation/conversation-run.ts',
  'packages/react/src/conversation/running-machines.ts',
  'apps/workbench/src/bench/event-sender.tsx',
  'apps/bench/src/workflows/ten-states-machine.ts',
];
