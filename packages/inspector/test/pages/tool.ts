import { createBrowserReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';

/** What Stately's own receiver hears. */
const heard: StatelyInspectionEvent[] = [];
// The sender knows its iframe once that has loaded, and misses who connects before.
window.addEventListener('load', () =>
  setTimeout(() => createBrowserReceiver().subscribe((event) => void heard.push(event))),
);
Object.assign(globalThis, { heard });
