import { runInput } from './ag-ui.ts';
import { chatInput } from './ai-sdk.ts';

/** The routes of the protocols for front ends. `input` is the JSON body. All answer with server-sent events. Spec: docs/front-ends.md */
export const frontEndRoutes = {
  'ag-ui': {
    method: 'POST',
    path: '/ag-ui/:id',
    scope: 'converse',
    summary: 'Runs a turn of a conversation as a run of AG-UI',
    input: runInput,
  },
  chat: {
    method: 'POST',
    path: '/chat/:id',
    scope: 'converse',
    summary: 'Runs a turn of a conversation for the AI SDK',
    input: chatInput,
  },
  resume: {
    method: 'GET',
    path: '/chat/:id/:contact/stream',
    scope: 'converse',
    summary: 'Goes on with the reply that is being made, for the AI SDK. 204 when there is none',
  },
} as const;
