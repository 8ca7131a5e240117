import type { createInspector as createStatelyInspector } from '@statelyai/inspect';
import type { InspectorEvent } from './events.ts';
import type { Inspector } from './inspector.ts';

/** What `createBrowserInspector` and `createWebSocketInspector` of `@statelyai/inspect` make. */
export type StatelyInspector = Pick<ReturnType<typeof createStatelyInspector>, 'adapter'>;

/**
 * Shows in Stately's inspector what this one sees, and what it has kept so far.
 *
 *     const stop = showInStately(inspector, createBrowserInspector());                                  // in a browser
 *     const stop = showInStately(inspector, createWebSocketInspector({ url: 'ws://localhost:8080' }));  // in Node
 *
 * @returns stops showing it
 */
export function showInStately(inspector: Inspector, { adapter }: StatelyInspector): () => void {
  const show = (event: InspectorEvent) => {
    // The types say that they have been through XState; what Stately reads of them is JSON.
    if (isStately(event)) adapter.send(event as never);
  };
  const { actors, events } = inspector.recording();
  for (const { bornAt, ...actor } of actors)
    show({ ...actor, type: '@xstate.actor', createdAt: String(bornAt), id: '', _version: '1' });
  for (const event of events) show(event);
  return inspector.subscribe(show);
}

function isStately({ type }: InspectorEvent): boolean {
  return type === '@xstate.actor' || type === '@xstate.event' || type === '@xstate.snapshot';
}
