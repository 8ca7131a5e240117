import type { createInspector as createStatelyInspector } from '@statelyai/inspect';
import type { InspectorEvent } from './events.ts';
import type { Inspector } from './inspector.ts';

/** The result of `createBrowserInspector` and `createWebSocketInspector` of `@statelyai/inspect`. */
export type StatelyInspector = Pick<ReturnType<typeof createStatelyInspector>, 'adapter'>;

/**
 * Shows the kept and all further events of an inspector in Stately's inspector.
 *
 *     const stop = showInStately(inspector, createBrowserInspector());                                  // in a browser
 *     const stop = showInStately(inspector, createWebSocketInspector({ url: 'ws://localhost:8080' }));  // in Node
 *
 * @returns a function that stops showing it
 */
export function showInStately(inspector: Inspector, { adapter }: StatelyInspector): () => void {
  const show = (event: InspectorEvent) => {
    // The types expect XState's objects, but Stately reads only their JSON.
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
