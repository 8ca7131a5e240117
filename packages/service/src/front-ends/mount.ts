import type { Hono } from 'hono';
import type { Access, ServiceEnv } from '../server/app.ts';
import { bodyOf, checked } from '../server/read-input.ts';
import { agUiRun, runInput } from './ag-ui.ts';
import { aiSdkChat, chatInput, resumedChat } from './ai-sdk.ts';

/** Adds the protocols of front ends to a service. Spec: docs/front-ends.md */
export function mountFrontEnds(app: Hono<ServiceEnv>, { permit }: Access): void {
  app.post('/ag-ui/:id', permit('converse', 'ag-ui'), async (c) => {
    const input = checked(runInput, await bodyOf(c.req.raw));
    return agUiRun(c.var.host, c.req.param('id'), input, c.req.raw.signal);
  });
  app.post('/chat/:id', permit('converse', 'chat'), async (c) => {
    const input = checked(chatInput, await bodyOf(c.req.raw));
    return aiSdkChat(c.var.host, c.req.param('id'), input, c.req.raw.signal);
  });
  app.get('/chat/:id/:contact/stream', permit('converse', 'chat'), async (c) => {
    const { host } = c.var;
    const filter = { contact: c.req.param('contact'), definition: c.req.param('id'), ended: false };
    const { items } = await host.list(filter, { limit: 1 });
    return resumedChat(host, items[0]?.id, c.req.raw.signal);
  });
}
