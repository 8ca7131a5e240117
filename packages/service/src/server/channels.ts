import type { Hono } from 'hono';
import { problem, problemResponse } from '../problem.ts';
import type { Access, ServiceEnv } from './app.ts';

/** What answers the requests of each channel, by its name. */
export type ChannelHandlers = ReadonlyMap<
  string,
  (request: Request, address: string | undefined) => Promise<Response> | Response
>;

/** The channels of a tenant, or of a service without tenants. */
export type ChannelsOf = (tenant?: string) => ChannelHandlers | undefined;

/**
 * Mounts channels below `/channels/<name>/`, and those of tenants below `/tenants/<tenant>/channels/<name>/`. Their senders have
 * no tokens: each channel verifies the signature of its provider. The routes are not in the description of the service, because
 * the providers define them. Spec: docs/channels.md
 */
export function mountChannels(
  app: Hono<ServiceEnv>,
  { admitToChannel }: Access,
  channelsOf: ChannelsOf,
): void {
  for (const path of ['/channels/:name/*', '/tenants/:tenant/channels/:name/*'] as const)
    app.all(path, admitToChannel, (c) => {
      const { name, tenant } = c.req.param() as { readonly name: string; readonly tenant?: string };
      const handle = channelsOf(tenant)?.get(name);
      return handle?.(c.req.raw, c.var.address) ?? unknownChannel(name);
    });
}

function unknownChannel(name: string): Response {
  return problemResponse(
    problem(404, 'request/unknown', `There is no channel ${JSON.stringify(name.slice(0, 100))}.`, {
      hint: 'Compare the address with the names of the channels of the host.',
    }),
  );
}
