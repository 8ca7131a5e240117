import { RunningService } from '../../service/running-service.ts';
import { interruptible } from '../interruptible.ts';
import { loadMcpServer } from '../optional-packages.ts';
import { jsonLine, outputTo } from '../output.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';
import { printHostError } from './gateway/explain-error.ts';
import { type Show, showWith } from './gateway/provider-channels.ts';
import { type ChannelOptions, hostOf, httpOf, type HttpOptions } from './serve-options.ts';

/** Prints what `serve` reports: a line of JSON with `--json`, else a sentence. */
export type Print = (value: object, text: string) => void;

export function printFor({ json }: { readonly json?: true }): Print {
  const { write } = outputTo(process.stdout);
  return (value, text) => write(json ? jsonLine(value) : `${text}\n`);
}

/** Shows the messages for contacts that no other channel takes. @param from added to each message in JSON */
export function showFor({ json }: { readonly json?: true }, from: object = {}): Show {
  const { write } = outputTo(process.stdout);
  if (!json) return showWith(write);
  return (message) => write(jsonLine({ type: 'message', ...from, ...message }));
}

/** Listens as the options of `serve` say while `run` serves a host. Ctrl+C aborts the signal of `run`. */
export function serveWith(
  http: HttpOptions & ChannelOptions,
  print: Print,
  run: (stop: AbortSignal, service: RunningService) => Promise<void>,
): Promise<ExitCode> {
  return interruptible(async (stop) => {
    const service = await listenFor(http);
    try {
      await run(stop, service);
    } finally {
      await service.end();
    }
    print({ type: 'stopped' }, 'Stopped.');
    return exitCodes.fine;
  });
}

/**
 * Requests get the status 503 until there is a host.
 *
 * @throws RequestError when it cannot listen, or when the tokens are not readable
 */
async function listenFor(options: HttpOptions & ChannelOptions): Promise<RunningService> {
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
