import { RunningService } from '../../service/running-service.ts';
import { loadMcpServer } from '../optional-packages.ts';
import { type ChannelOptions, hostOf, httpOf, type HttpOptions } from './serve-options.ts';
import { printHostError } from './gateway/explain-error.ts';

/**
 * Listens as the options of `serve` say. Requests get the status 503 until there is a host.
 *
 * @throws RequestError when it cannot listen, or when the tokens are not readable
 */
export async function listenFor(options: HttpOptions & ChannelOptions): Promise<RunningService> {
  const service = await RunningService.listen({
    onError: (error) => printHostError(error, 'checking who may do what', 1),
    ...httpOf(options),
    ...(options.channel && {
      allowedHosts: [...(options.allowHost ?? []), ...hostOf(options.publicUrl)],
    }),
    ...(options.mcp && { mount: (await loadMcpServer()).mcpRoute() }),
  });
  if (service.notice !== undefined) process.stderr.write(`${service.notice}\n`);
  return service;
}
