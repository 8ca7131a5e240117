import { createInspector } from '@dramaturg/inspector';
import { showInStately } from '@dramaturg/inspector/stately';
import { createBrowserInspector } from '@statelyai/inspect';
import { createActor } from 'xstate';
import { order } from '../machines.ts';

/** The page on which actors run, with a tool of Stately's kind beside it. */
const inspector = createInspector();
const actor = createActor(order, { id: 'order', inspect: inspector.inspect }).start();
const iframe = document.querySelector('iframe');
showInStately(inspector, createBrowserInspector({ url: `${location.origin}/tool.html`, iframe }));
Object.assign(globalThis, { actor });
