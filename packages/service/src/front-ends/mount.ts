import type { Hono } from 'hono';
import type { Access, ServiceEnv } from '../server/app.ts';
import { bodyOf, checked } from '../server/read-input.ts';
import { agUiRun } from './ag-ui.ts';
import { aiSdkChat, resumedChat } from './ai-sdk.ts';
import { frontEndRoutes } from './routes.ts';

/** Adds the protocols of front ends to a service. Spec: docs/front-ends.md */
export function mountFrontEnds(app: Hono<ServiceEnv>, { permit }: Access): void {
  const { 'ag-ui': agUi, chat, resume } = frontEndRoutes;
  app.post(agUi.path, permit(agUi.scope, 'ag-ui'), async (c) => {
    const input = checked(agUi.input, await bodyOf(c.req.raw));
    return agUiRun(c.var.host, c.req.param('id'), input, c.req.raw.signal);
  });
  app.post(chat.path, permit(chat.scope, 'chat'), async (c) => {
    const input = checked(chat.input, await bodyOf(c.req.raw));
    return aiSdkChat(c.var.host, c.req.param('id'), input, c.req.raw.signal);
  });
  app.get(resume.path, permit(resume.scope, 'chat'), async (c) => {
    const { contact, id } = c.req.param();
    return resumedChat(c.var.host, contact, id, c.req.raw.signal);
  });
}
