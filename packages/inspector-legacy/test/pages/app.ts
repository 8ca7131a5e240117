import { createInspector } from '@dramaturg/inspector';
import { inspectLegacy } from '@dramaturg/inspector-legacy/browser';
import { createActor } from 'xstate-5';
import { order } from '../order.ts';

/** The page on which actors of XState 5 run. */
const iframe = document.querySelector('iframe')!;
const inspector = createInspector();
inspectLegacy(inspector, { url: `${location.origin}/tool.html`, iframe });
const actor = createActor(order, { id: 'order', inspect: inspector.inspect }).start();
Object.assign(globalThis, { actor });
