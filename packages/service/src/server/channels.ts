import type { Hono } from 'hono';
import { problem, problemResponse } from '../problem.ts';
import type { Access, ServiceEnv } from './app.ts';

/** What answers the requests of each channel, by its name. */
export type ChannelHandlers = ReadonlyMap<
  string,
  (request: Request, address: string | undefined) => Promise<Response> | Response
>;

/**
 * Mounts channels below `/channels/<name>/`. Their senders have no tokens: each channel verifies the signature of its provider.
 * The routes are not in the description of the service, because the providers define them. Spec: docs/channels.md
 */
export function mountChannels(
  app: Hono<ServiceEnv>,
  { admitToChannel }: Access,
  channels: ChannelHandlers,
): void {
  app.all('/channels/:name/*', admitToChannel, (c) => {
    const name = c.req.param('name');
    return channels.get(name)?.(c.req.raw, c.var.address) ?? unknownChannel(name);
  });
}

function unknownChannel(name: string): Response {
  return problemResponse(
    problem(404, 'request/unknown', `There is no channel ${JSON.stringify(name.slice(0, 100))}.`, {
      hint: 'Compare the address with the names of the channels of the host.',
    }),
  );
}
