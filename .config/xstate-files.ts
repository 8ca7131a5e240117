/**
 * Which files depend on the parts of XState that change in XState 6. `boundaries.ts` enforces it.
 *
 * XState 6 (https://stately.ai/docs/xstate/v6/xstate-v5-to-v6) does not change charts, because a chart is our own JSON. Begin with `link/link.ts`
 * and `link/effects.ts` with `{ fuse: false }` (transitions and actions become functions), then `link/machine.ts` (no
 * `restoreSnapshot`), then restoring in the host (`restoreActor`, new fields in snapshots), then inspection (two events).
 */

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
/** The files that may import more of XState. */
export const xstateFiles = [
  'packages/compiler/src/link/each.ts',
  'packages/compiler/src/link/effects.ts',
  'packages/compiler/src/link/listen.ts',
  'packages/compiler/src/link/lazy-node.ts',
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
